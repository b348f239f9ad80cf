import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;

/** An embedded Tomcat that says what a servlet would go by: server name, X-Env, op, servletPath and pathInfo. */
public class Reader extends HttpServlet {
  @Override
  protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
    String path = text(request.getServletPath()) + text(request.getPathInfo());
    String op = URLEncoder.encode(text(request.getParameter("op")), StandardCharsets.UTF_8);
    String fields = String.join("\n", request.getServerName(), text(request.getHeader("X-Env")), op, "");
    // Fields are octets in text, one a character; the path is decoded as UTF-8.
    byte[] head = fields.getBytes(StandardCharsets.ISO_8859_1);
    byte[] last = path.getBytes(StandardCharsets.UTF_8);
    response.setContentLength(head.length + last.length);
    response.getOutputStream().write(head);
    response.getOutputStream().write(last);
  }

  private static String text(String value) {
    return value == null ? "" : value;
  }

  public static void main(String[] args) throws Exception {
    Tomcat tomcat = new Tomcat();
    tomcat.setBaseDir(args[1]);
    Connector connector = new Connector();
    connector.setPort(Integer.parseInt(args[0]));
    connector.setProperty("address", InetAddress.getLoopbackAddress().getHostAddress());
    connector.setProperty("maxKeepAliveRequests", "-1");
    tomcat.setConnector(connector);
    var context = tomcat.addContext("", null);
    Tomcat.addServlet(context, "reader", new Reader());
    context.addServletMappingDecoded("/*", "reader");
    tomcat.start();
    tomcat.getServer().await();
  }
}
