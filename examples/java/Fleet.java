import com.nimbusds.jose.util.*;
import java.nio.file.*;
import java.util.*;

/** Looks a list up, one registration on each line, and counts the outcomes: java … Fleet fleet.txt */
class Fleet {
  public static void main(String[] args) throws Exception {
    var limits = JSONObjectUtils.getJSONObject(Service.json(Service.read("/v1/usage", null)), "limits");
    int size = JSONObjectUtils.getInt(limits, "registrationsPerBulk");
    var counts = new TreeMap<String, Integer>();
    List<String> unread = Files.readAllLines(Path.of(args[0])).stream().filter(line -> !line.isEmpty()).toList();
    for (int attempt = 0; attempt < 3; attempt++) {
      Thread.sleep(1_000 * attempt);
      var fleet = unread;
      unread = new ArrayList<>();
      for (int start = 0; start < fleet.size(); start += size) {
        var part = fleet.subList(start, Math.min(start + size, fleet.size()));
        var body = JSONObjectUtils.toJSONString(Map.of("registrations", part));
        var answer = Service.json(Service.read("/v1/vehicle/bulk-insurance", body));
        for (var entry : JSONObjectUtils.getJSONObjectArray(answer, "results")) {
          var outcome = Service.outcome(entry);
          if (outcome.equals("LOOKUP_UNAVAILABLE")) unread.add(entry.get("registration").toString());
          else counts.merge(outcome, 1, Integer::sum);
        }
      }
    }
    if (!unread.isEmpty()) counts.put("LOOKUP_UNAVAILABLE", unread.size());
    counts.forEach((outcome, count) -> System.out.println(count + " " + outcome));
  }
}
