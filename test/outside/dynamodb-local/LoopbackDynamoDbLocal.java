import java.lang.reflect.Field;
import java.util.Arrays;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import software.amazon.dynamodb.services.local.main.ServerRunner;
import software.amazon.dynamodb.services.local.server.DynamoDBProxyServer;

/**
 * Runs Amazon's DynamoDB Local as its main class does, with two differences for which it has no option: only this machine
 * reaches it, and it ends when standard input ends, so that it never outlives the process that started it.
 * Takes a port (0 for any free port) and DynamoDB Local's arguments. Prints "listening PORT" when it accepts requests.
 */
class LoopbackDynamoDbLocal {
  public static void main(String[] arguments) throws Exception {
    int port = Integer.parseInt(arguments[0]);
    String[] options = Arrays.copyOfRange(arguments, 1, arguments.length);
    DynamoDBProxyServer proxy = ServerRunner.createServerFromCommandLineArgs(options);
    Field serverField = DynamoDBProxyServer.class.getDeclaredField("server");
    serverField.setAccessible(true);
    Server server = (Server) serverField.get(proxy);
    ServerConnector connector = (ServerConnector) server.getConnectors()[0];
    connector.setHost("127.0.0.1");
    connector.setPort(port);
    endWithStandardInput();
    try {
      server.start();
    } catch (Exception failure) {
      failure.printStackTrace();
      Runtime.getRuntime().halt(1);
    }
    System.out.println("listening " + connector.getLocalPort());
  }

  private static void endWithStandardInput() {
    Thread watcher =
        new Thread(
            () -> {
              try {
                while (System.in.read() != -1) {}
              } catch (java.io.IOException brokenPipe) {
                // The parent process has ended, as at the end of the input.
              }
              Runtime.getRuntime().halt(0);
            });
    watcher.setDaemon(true);
    watcher.start();
  }
}
