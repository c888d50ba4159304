import java.util.List;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.VehiclesApi;
import org.openapitools.client.model.BulkRequest;
import org.openapitools.client.model.Problem;

/** One success and one error with the client of openapi-generator. */
public class Driver {
  public static void main(String[] args) throws Exception {
    ApiClient client = new ApiClient();
    client.updateBaseUri(System.getenv("ORIGIN") + "/v1");
    client.setRequestInterceptor(request -> request.header("X-API-Key", System.getenv("KEY")));
    VehiclesApi api = new VehiclesApi(client);

    BulkRequest many = new BulkRequest().registrations(List.of("AB12CDE", "KR08NIL", "ZZ99ZZZ"));
    for (var entry : api.checkInsurance(many, null).getResults()) {
      String outcome = entry.getInsured() ? "insured" : "not insured";
      System.out.println(entry.getCode() != null ? entry.getCode() : outcome);
    }

    try {
      api.getInsurance("ABI2CDE", null, null);
    } catch (ApiException error) {
      Problem problem = ApiClient.createDefaultObjectMapper().readValue(error.getResponseBody(), Problem.class);
      System.out.println(problem.getStatus() + " " + problem.getCode() + " " + problem.getSuggestion());
    }
  }
}
