import java.lang.reflect.Field;
import java.util.Arrays;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import software.amazon.dynamodb.services.local.main.ServerRunner;
import software.amazon.dynamodb.services.local.server.DynamoDBProxyServer;

/**
 * Runs Amazon's DynamoDB Local as its own main class does, with two differences it has no option for: only this machine
 * reaches it, and it ends when standard input does, so that it never outlives the process that started it.
 * Takes a port, or 0 for any free one, and then DynamoDB Local's arguments; prints "listening PORT" when it answers.
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
                // The starter is gone, as at the end of the input.
              }
              Runtime.getRuntime().halt(0);
            });
    watcher.setDaemon(true);
    watcher.start();
  }
}
