package javax.xml.bind;

import java.time.OffsetDateTime;
import java.util.Calendar;
import java.util.GregorianCalendar;

/** As much of what Java had until version 10 as PDFBox Preflight asks for. */
public final class DatatypeConverter {
    private DatatypeConverter() {}

    public static Calendar parseDateTime(String text) {
        return GregorianCalendar.from(OffsetDateTime.parse(text).toZonedDateTime());
    }

    public static int parseInt(String text) {
        return Integer.parseInt(text.trim());
    }
}
