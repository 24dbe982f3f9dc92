import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Properties;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Kafka's own producer, driven by lines on stdin and answering each with one number:
 * {@code backToBack DURATION_MS RECORDSxBYTES…} with transactions per second,
 * {@code paced COUNT EVERY_MS RECORDSxBYTES…} with the median time of one in milliseconds.
 * Arguments: bootstrap, bytes of a key, topics.
 */
public final class JavaProducer {
    private static KafkaProducer<byte[], byte[]> producer;
    private static List<String> topics;
    private static byte[] key;

    public static void main(String[] args) throws Exception {
        key = filled(Integer.parseInt(args[1]), 'k');
        topics = Arrays.asList(args).subList(2, args.length);
        var properties = new Properties();
        properties.put("bootstrap.servers", args[0]);
        properties.put("transactional.id", "bench-java");
        properties.put("acks", "all");
        properties.put("compression.type", "none");
        producer = new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer());
        producer.initTransactions();
        System.out.println("ready");
        var input = new BufferedReader(new InputStreamReader(System.in));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            String[] words = line.split(" ");
            double answer = words[0].equals("backToBack")
                ? backToBack(Double.parseDouble(words[1]), parts(words, 2))
                : paced(Integer.parseInt(words[1]), Double.parseDouble(words[2]), parts(words, 3));
            System.out.println(answer);
        }
        producer.close();
    }

    private record Part(int records, byte[] value) {}

    private static List<Part> parts(String[] words, int from) {
        var parts = new ArrayList<Part>();
        for (String word : Arrays.asList(words).subList(from, words.length)) {
            String[] numbers = word.split("x");
            parts.add(new Part(Integer.parseInt(numbers[0]), filled(Integer.parseInt(numbers[1]), 'v')));
        }
        return parts;
    }

    private static double backToBack(double durationMs, List<Part> parts) {
        long started = System.nanoTime();
        int written = 0;
        while (millisSince(started) < durationMs) {
            write(parts);
            written++;
        }
        return written * 1000 / millisSince(started);
    }

    private static double paced(int count, double everyMs, List<Part> parts) throws InterruptedException {
        var times = new ArrayList<Double>();
        for (int index = 0; index < count; index++) {
            long begun = System.nanoTime();
            write(parts);
            times.add(millisSince(begun));
            Thread.sleep((long) Math.max(0, everyMs - millisSince(begun)));
        }
        Collections.sort(times);
        return times.get(count / 2);
    }

    private static void write(List<Part> parts) {
        producer.beginTransaction();
        for (int index = 0; index < parts.size(); index++) {
            Part part = parts.get(index);
            for (int count = 0; count < part.records(); count++) {
                producer.send(new ProducerRecord<>(topics.get(index), 0, key, part.value()));
            }
        }
        producer.commitTransaction();
    }

    private static double millisSince(long nanos) {
        return (System.nanoTime() - nanos) / 1e6;
    }

    private static byte[] filled(int length, char character) {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) character);
        return bytes;
    }
}
