package javax.activation;

import java.io.IOException;
import java.io.InputStream;

/** As much of what Java had until version 10 as PDFBox Preflight asks for. */
public interface DataSource {
    InputStream getInputStream() throws IOException;

    String getName();
}
