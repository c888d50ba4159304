import com.nimbusds.jose.util.JSONObjectUtils;
import java.util.regex.Pattern;

/** Prints the slug of every content item that the key can see, page by page: java … Content */
class Content {
  /** The address is relative to the origin. The last page has none. */
  static final Pattern NEXT = Pattern.compile("<([^>]+)>; rel=\"next\"");

  public static void main(String[] args) throws Exception {
    var path = "/v1/api/content?limit=20";
    while (path != null) {
      var response = Service.read(path, null);
      for (var item : JSONObjectUtils.getJSONObjectArray(Service.json(response), "items")) {
        System.out.println(item.get("slug"));
      }
      var next = NEXT.matcher(response.headers().firstValue("Link").orElse(""));
      path = next.find() ? next.group(1) : null;
    }
  }
}
