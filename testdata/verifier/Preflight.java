import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

import org.apache.pdfbox.preflight.PreflightDocument;
import org.apache.pdfbox.preflight.ValidationResult;
import org.apache.pdfbox.preflight.exception.SyntaxValidationException;
import org.apache.pdfbox.preflight.parser.PreflightParser;

/**
 * Holds PDF files against PDF/A-1b (ISO 19005-1) with Apache PDFBox Preflight. Each line of standard
 * input names a file; the answer is one line for each finding, and then a line with a full stop.
 */
public final class Preflight {
    private Preflight() {}

    public static void main(String[] arguments) throws IOException {
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String path = in.readLine(); path != null; path = in.readLine()) {
            try {
                for (ValidationResult.ValidationError error : validate(path).getErrorsList()) {
                    out.println(error.getErrorCode() + " " + oneLine(error.getDetails()));
                }
            } catch (Exception | StackOverflowError e) {
                out.println("bad file " + oneLine(e.toString()));
            }
            out.println(".");
            out.flush();
        }
    }

    private static ValidationResult validate(String path) throws IOException {
        PreflightParser parser = new PreflightParser(path);
        try {
            parser.parse();
        } catch (SyntaxValidationException e) {
            return e.getResult();
        }
        try (PreflightDocument document = parser.getPreflightDocument()) {
            document.validate();
            return document.getResult();
        }
    }

    private static String oneLine(String s) {
        String line = s.replace('\n', ' ').replace('\r', ' ');
        return line.substring(0, Math.min(line.length(), 1000));
    }
}
