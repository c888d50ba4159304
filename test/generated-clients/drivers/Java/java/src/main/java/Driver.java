import java.util.List;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.ComplianceApi;
import org.openapitools.client.api.ContentApi;
import org.openapitools.client.api.UsageApi;
import org.openapitools.client.api.VehiclesApi;
import org.openapitools.client.model.BulkComplianceRequest;
import org.openapitools.client.model.BulkRequest;
import org.openapitools.client.model.CreateContent;
import org.openapitools.client.model.Problem;
import org.openapitools.client.model.UpdateContent;

/** Drives every operation with the client of openapi-generator. */
public class Driver {
  interface Call {
    Object on(Driver api) throws Exception;
  }

  final VehiclesApi vehicles;
  final ComplianceApi compliance;
  final ContentApi content;
  final UsageApi usage;

  Driver(String key) {
    ApiClient client = new ApiClient();
    client.updateBaseUri(System.getenv("ORIGIN") + "/v1");
    client.setRequestInterceptor(request -> request.header("X-API-Key", key));
    vehicles = new VehiclesApi(client);
    compliance = new ComplianceApi(client);
    content = new ContentApi(client);
    usage = new UsageApi(client);
  }

  static Problem problemOf(Call call, Driver api) throws Exception {
    try {
      call.on(api);
      return null;
    } catch (ApiException error) {
      return ApiClient.createDefaultObjectMapper().readValue(error.getResponseBody(), Problem.class);
    }
  }

  static String reason(Call call, Driver api) throws Exception {
    Problem problem = problemOf(call, api);
    if (problem == null) return "none";
    String suggestion = problem.getSuggestion() == null ? "" : " " + problem.getSuggestion();
    return problem.getStatus() + " " + problem.getCode() + suggestion;
  }

  static BulkRequest bulk(String... registrations) {
    return new BulkRequest().registrations(List.of(registrations));
  }

  static BulkComplianceRequest bulkCompliance(String... registrations) {
    return new BulkComplianceRequest().registrations(List.of(registrations));
  }

  static CreateContent item(String slug, String title) {
    return new CreateContent().title(title).content("When.").domain("java.example").slug(slug);
  }

  static UpdateContent titled(String title) {
    return new UpdateContent().title(title);
  }

  static Object remove(Driver api, String id, String version) throws ApiException {
    api.content.deleteContent(id, version);
    return null;
  }

  public static void main(String[] args) throws Exception {
    Driver api = new Driver(System.getenv("KEY"));
    String id = api.content.createContent(item("tyres", "Tyres"), "java").getId();
    UpdateContent taken = new UpdateContent().domain("news.example").slug("motoring-news-1");

    List<Call> failures = List.of(
        on -> on.vehicles.getInsurance("!", null),
        on -> on.vehicles.getInsurance("ABI2CDE", null),
        on -> on.vehicles.checkInsurance(bulk()),
        on -> on.compliance.getCompliance("!"),
        on -> on.compliance.getCompliance("VE24UNK"),
        on -> on.compliance.checkCompliance(bulkCompliance()),
        on -> on.content.listContent(null, null, 0, -1),
        on -> on.content.createContent(item("No slug", "Tyres"), null),
        on -> on.content.createContent(item("tyres", "Tyres"), null),
        on -> on.content.createContent(item("tyres", "T"), "java"),
        on -> on.content.getContent("none"),
        on -> on.content.updateContent(id, titled(""), null),
        on -> on.content.updateContent("none", titled("T"), null),
        on -> on.content.updateContent(id, taken, null),
        on -> on.content.updateContent(id, titled("T"), "\"7\""),
        on -> remove(on, "none", null),
        on -> remove(on, id, "\"7\""));
    for (Call failure : failures) System.out.println(reason(failure, api));

    List<Call> calls = List.of(
        on -> on.vehicles.getInsurance("AB12CDE", null),
        on -> on.vehicles.checkInsurance(bulk("AB12CDE")),
        on -> on.compliance.getCompliance("AB12CDE"),
        on -> on.compliance.checkCompliance(bulkCompliance("AB12CDE")),
        on -> on.content.listContent("java.example", null, null, null),
        on -> on.content.createContent(item("tyres", "Tyres"), "java"),
        on -> on.content.getContent(id),
        on -> on.content.updateContent(id, titled("Winter tyres"), "\"1\""),
        on -> remove(on, id, "\"2\""),
        on -> on.usage.getUsage());
    for (Call call : calls) {
      for (String key : List.of("wrong", System.getenv("NO_SCOPE_KEY"), System.getenv("SPENT_KEY"), System.getenv("KEY")))
        System.out.println(reason(call, new Driver(key)));
    }

    for (var entry : api.vehicles.checkInsurance(bulk("AB12CDE", "KR08NIL", "ZZ99ZZZ")).getResults()) {
      String outcome = entry.getInsured() ? "insured" : "not insured";
      System.out.println(entry.getCode() != null ? entry.getCode() : outcome);
    }
    System.out.println(problemOf(on -> on.vehicles.getInsurance("AB12/CDE", null), api).getDetail());
  }
}
