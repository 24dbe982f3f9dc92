import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Random;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.EndTransactionMarker;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecords.RecordFilter;
import org.apache.kafka.common.record.internal.MemoryRecords.RecordFilter.BatchRetention;
import org.apache.kafka.common.record.internal.MemoryRecords.RecordFilter.BatchRetentionResult;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.utils.BufferSupplier;

/**
 * Reads and writes record batches with Kafka's own classes. Prints a line for each batch and record: first of the file
 * OURS, which it reads, then, after a line "theirs", of the file THEIRS, to which it writes random batches of all kinds.
 *
 * <pre>
 * java -cp JARS RecordBatches.java OURS THEIRS SEED COUNT
 * </pre>
 */
public class RecordBatches {
    public static void main(String[] arguments) throws IOException {
        byte[] ours = Files.readAllBytes(Path.of(arguments[0]));
        Random random = new Random(Long.parseLong(arguments[2]));
        byte[] theirs = new RecordBatches(random).randomBatches(Integer.parseInt(arguments[3]));
        Files.write(Path.of(arguments[1]), theirs);
        try (PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8)) {
            print(ours, out);
            out.println("theirs");
            print(theirs, out);
        }
    }

    private static void print(byte[] file, PrintStream out) {
        ByteBuffer bytes = ByteBuffer.wrap(file);
        MemoryRecords records = MemoryRecords.readableRecords(bytes);
        if (records.validBytes() != bytes.limit()) throw new IllegalStateException("the last batch is cut off");
        for (RecordBatch batch : records.batches()) print(batch, out);
    }

    private static void print(RecordBatch batch, PrintStream out) {
        batch.ensureValid();
        StringBuilder text = new StringBuilder();
        for (Record record : batch) {
            record.ensureValid();
            text.append(describe(record)).append('\n');
        }
        out.printf("batch %d-%d count=%d maxTime=%d producer=%d/%d/%d transactional=%b control=%s%n%s",
            batch.baseOffset(), batch.lastOffset(), batch.countOrNull(), batch.maxTimestamp(), batch.producerId(),
            batch.producerEpoch(), batch.baseSequence(), batch.isTransactional(), controlType(batch), text);
    }

    private static String controlType(RecordBatch batch) {
        if (!batch.isControlBatch()) return "no";
        return ControlRecordType.parse(batch.iterator().next().key()).name().toLowerCase();
    }

    private static String describe(Record record) {
        StringBuilder text = new StringBuilder("record ");
        text.append(record.offset()).append(" time=").append(record.timestamp());
        text.append(" key=").append(hex(record.key())).append(" value=").append(hex(record.value()));
        for (Header header : record.headers()) {
            text.append(' ').append(hex(ByteBuffer.wrap(header.key().getBytes(StandardCharsets.UTF_8))));
            text.append(':').append(header.value() == null ? "" : hex(ByteBuffer.wrap(header.value())));
        }
        return text.toString();
    }

    private static String hex(ByteBuffer bytes) {
        if (bytes == null) return "null";
        byte[] copy = new byte[bytes.remaining()];
        bytes.duplicate().get(copy);
        return HexFormat.of().formatHex(copy);
    }

    private static final CompressionType[] CODECS = {
        CompressionType.NONE, CompressionType.GZIP, CompressionType.SNAPPY, CompressionType.LZ4, CompressionType.ZSTD
    };
    private static final String[] HEADER_KEYS = {"at", "op", "", "größe", "☃ and 🦀", "a-rather-long-name-of-a-header"};

    private final Random random;
    private final ByteBuffer written = ByteBuffer.allocate(64 * 1024 * 1024);
    private long offset;

    private RecordBatches(Random random) {
        this.random = random;
        this.offset = random.nextInt(1_000_000);
    }

    private byte[] randomBatches(int count) {
        for (int index = 0; index < count; index++) {
            switch (index % 6) {
                case 0 -> written.put(filled(dataBatch(TimestampType.CREATE_TIME, RecordBatch.NO_PRODUCER_ID, false)));
                case 1 -> written.put(filled(dataBatch(TimestampType.CREATE_TIME, producerId(), false)));
                case 2 -> written.put(filled(dataBatch(TimestampType.CREATE_TIME, producerId(), true)));
                case 3 -> written.put(filled(dataBatch(TimestampType.LOG_APPEND_TIME, producerId(), false)));
                case 4 -> written.put(marker());
                default -> compact(filled(dataBatch(TimestampType.CREATE_TIME, producerId(), random.nextBoolean())));
            }
            offset += random.nextInt(5);
        }
        byte[] bytes = new byte[written.position()];
        written.flip().get(bytes);
        return bytes;
    }

    private long producerId() {
        return random.nextInt(4) == 0 ? Long.MAX_VALUE - random.nextInt(100) : random.nextInt(100_000);
    }

    private MemoryRecordsBuilder dataBatch(TimestampType timestampType, long producerId, boolean transactional) {
        Compression compression = Compression.of(CODECS[random.nextInt(CODECS.length)]).build();
        boolean idempotent = producerId != RecordBatch.NO_PRODUCER_ID;
        short epoch = idempotent ? (short) random.nextInt(Short.MAX_VALUE) : RecordBatch.NO_PRODUCER_EPOCH;
        int sequence = idempotent ? random.nextInt(Integer.MAX_VALUE) : RecordBatch.NO_SEQUENCE;
        return MemoryRecords.builder(ByteBuffer.allocate(1024), RecordBatch.MAGIC_VALUE_V2, compression, timestampType,
            offset, time(), producerId, epoch, sequence, transactional, random.nextInt(1000));
    }

    private ByteBuffer filled(MemoryRecordsBuilder batch) {
        int count = 1 + random.nextInt(20);
        for (int index = 0; index < count; index++)
            batch.appendWithOffset(offset++, time(), bytes(), bytes(), headers());
        return batch.build().buffer();
    }

    private ByteBuffer marker() {
        ControlRecordType type = random.nextBoolean() ? ControlRecordType.COMMIT : ControlRecordType.ABORT;
        EndTransactionMarker marker = new EndTransactionMarker(type, random.nextInt(100));
        short epoch = (short) random.nextInt(Short.MAX_VALUE);
        return MemoryRecords.withEndTransactionMarker(offset++, time(), 0, producerId(), epoch, marker).buffer();
    }

    /** As the log cleaner does it: records are left out, all of them at times, and tombstones give a delete horizon. */
    private void compact(ByteBuffer batch) {
        int kept = random.nextInt(4);
        RecordFilter filter = new RecordFilter(1_750_000_000_000L, 86_400_000L) {
            @Override
            protected BatchRetentionResult checkBatchRetention(RecordBatch batch) {
                return new BatchRetentionResult(BatchRetention.RETAIN_EMPTY, false);
            }

            @Override
            protected boolean shouldRetainRecord(RecordBatch batch, Record record) {
                return random.nextInt(3) < kept;
            }
        };
        MemoryRecords.readableRecords(batch).filterTo(filter, written, BufferSupplier.NO_CACHING);
    }

    private long time() {
        return switch (random.nextInt(5)) {
            case 0 -> 0;
            case 1 -> (1L << 53) - 1;
            case 2 -> random.nextLong(1L << 53);
            default -> 1_700_000_000_000L + random.nextInt(100_000);
        };
    }

    private byte[] bytes() {
        return switch (random.nextInt(8)) {
            case 0, 1 -> null;
            case 2 -> new byte[0];
            case 3 -> "repeated ".repeat(random.nextInt(2_000)).getBytes(StandardCharsets.UTF_8);
            default -> {
                byte[] bytes = new byte[random.nextInt(200)];
                random.nextBytes(bytes);
                yield bytes;
            }
        };
    }

    private Header[] headers() {
        Header[] headers = new Header[Math.max(0, random.nextInt(6) - 2)];
        for (int index = 0; index < headers.length; index++)
            headers[index] = new RecordHeader(HEADER_KEYS[random.nextInt(HEADER_KEYS.length)], bytes());
        return headers;
    }
}
