import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.Security;
import java.util.Arrays;
import java.util.Collection;

import org.apache.pdfbox.pdmodel.PDDocument;
import org.apache.pdfbox.pdmodel.interactive.digitalsignature.PDSignature;
import org.bouncycastle.asn1.ASN1Encodable;
import org.bouncycastle.asn1.cms.Attribute;
import org.bouncycastle.asn1.cms.AttributeTable;
import org.bouncycastle.asn1.cms.ContentInfo;
import org.bouncycastle.asn1.ess.ESSCertIDv2;
import org.bouncycastle.asn1.ess.SigningCertificateV2;
import org.bouncycastle.asn1.pkcs.PKCSObjectIdentifiers;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.cms.CMSProcessableByteArray;
import org.bouncycastle.cms.CMSSignedData;
import org.bouncycastle.cms.SignerInformation;
import org.bouncycastle.cms.jcajce.JcaSimpleSignerInfoVerifierBuilder;
import org.bouncycastle.jce.provider.BouncyCastleProvider;
import org.bouncycastle.tsp.TimeStampToken;
import org.bouncycastle.util.Selector;

/**
 * Judges the signatures of PDF files with Apache PDFBox and Bouncy Castle, which share no code with
 * the program under test. Each line of standard input names a file; the answer is one line for each
 * signature and document timestamp, beginning with "good" or "bad", and then a line with a full stop.
 */
public final class Verifier {
    private static final String BC = BouncyCastleProvider.PROVIDER_NAME;

    private Verifier() {}

    public static void main(String[] arguments) throws IOException {
        Security.addProvider(new BouncyCastleProvider());
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String path = in.readLine(); path != null; path = in.readLine()) {
            try {
                judge(Files.readAllBytes(Path.of(path)), out);
            } catch (Exception | StackOverflowError e) {
                out.println("bad file " + oneLine(e));
            }
            out.println(".");
            out.flush();
        }
    }

    private static void judge(byte[] file, PrintStream out) throws IOException {
        try (PDDocument document = PDDocument.load(file)) {
            document.getNumberOfPages();
            for (PDSignature signature : document.getSignatureDictionaries()) {
                try {
                    out.println("good " + verify(signature, file));
                } catch (Exception e) {
                    out.println("bad " + signature.getSubFilter() + " " + oneLine(e));
                }
            }
        }
    }

    private static String oneLine(Throwable e) {
        String line = e.toString().replace('\n', ' ').replace('\r', ' ');
        return line.substring(0, Math.min(line.length(), 1000));
    }

    private static String verify(PDSignature signature, byte[] file) throws Exception {
        byte[] contents = signature.getContents(file);
        byte[] signed = signature.getSignedContent(file);
        String kind = signature.getSubFilter();
        switch (kind) {
            case "ETSI.RFC3161":
                TimeStampToken token = new TimeStampToken(new CMSSignedData(contents));
                return "timestamp " + verify(token, signed);
            case "ETSI.CAdES.detached":
            case "adbe.pkcs7.detached":
                return "signature " + verifyDetached(kind, contents, signed);
            case "adbe.pkcs7.sha1":
                return "signature " + verifySHA1(contents, signed);
            default:
                throw new IllegalArgumentException("SubFilter " + kind);
        }
    }

    private static String verifyDetached(String kind, byte[] contents, byte[] signed) throws Exception {
        CMSSignedData cms = new CMSSignedData(new CMSProcessableByteArray(signed), contents);
        SignerInformation signer = only(cms.getSignerInfos().getSigners());
        X509CertificateHolder certificate = certificate(cms, signer);
        check(signer.verify(new JcaSimpleSignerInfoVerifierBuilder().setProvider(BC).build(certificate)), "signature value");
        boolean cades = kind.equals("ETSI.CAdES.detached");
        if (cades) {
            checkSigningCertificate(signer, certificate);
            check(signer.getSignedAttributes().get(PKCSObjectIdentifiers.pkcs_9_at_signingTime) == null, "signing-time is present");
        }
        AttributeTable unsigned = signer.getUnsignedAttributes();
        Attribute stamp = unsigned == null ? null : unsigned.get(PKCSObjectIdentifiers.id_aa_signatureTimeStampToken);
        if (stamp == null) {
            return "untimed " + certificate.getSubject();
        }
        TimeStampToken token = new TimeStampToken(ContentInfo.getInstance(stamp.getAttrValues().getObjectAt(0)));
        verify(token, signer.getSignature());
        return "timed " + certificate.getSubject();
    }

    private static String verifySHA1(byte[] contents, byte[] signed) throws Exception {
        CMSSignedData cms = new CMSSignedData(contents);
        SignerInformation signer = only(cms.getSignerInfos().getSigners());
        X509CertificateHolder certificate = certificate(cms, signer);
        check(signer.verify(new JcaSimpleSignerInfoVerifierBuilder().setProvider(BC).build(certificate)), "signature value");
        byte[] digest = MessageDigest.getInstance("SHA-1").digest(signed);
        check(Arrays.equals(digest, (byte[]) cms.getSignedContent().getContent()), "digest");
        return "untimed " + certificate.getSubject();
    }

    /** The attribute that binds a CAdES signature to its certificate (ETSI EN 319 122-1 §5.2.2). */
    private static void checkSigningCertificate(SignerInformation signer, X509CertificateHolder certificate) throws Exception {
        Attribute attribute = signer.getSignedAttributes().get(PKCSObjectIdentifiers.id_aa_signingCertificateV2);
        check(attribute != null, "signing-certificate-v2 is missing");
        ASN1Encodable value = attribute.getAttrValues().getObjectAt(0);
        ESSCertIDv2 id = SigningCertificateV2.getInstance(value).getCerts()[0];
        String algorithm = id.getHashAlgorithm().getAlgorithm().getId();
        byte[] digest = MessageDigest.getInstance(algorithm, BC).digest(certificate.getEncoded());
        check(Arrays.equals(digest, id.getCertHash()), "signing-certificate-v2 names another certificate");
    }

    private static String verify(TimeStampToken token, byte[] stamped) throws Exception {
        X509CertificateHolder certificate = only(token.getCertificates().getMatches(cast(token.getSID())));
        token.validate(new JcaSimpleSignerInfoVerifierBuilder().setProvider(BC).build(certificate));
        String algorithm = token.getTimeStampInfo().getMessageImprintAlgOID().getId();
        byte[] digest = MessageDigest.getInstance(algorithm, BC).digest(stamped);
        check(Arrays.equals(digest, token.getTimeStampInfo().getMessageImprintDigest()), "message imprint");
        return certificate.getSubject().toString();
    }

    private static X509CertificateHolder certificate(CMSSignedData cms, SignerInformation signer) {
        return only(cms.getCertificates().getMatches(cast(signer.getSID())));
    }

    @SuppressWarnings("unchecked")
    private static Selector<X509CertificateHolder> cast(Object selector) {
        return (Selector<X509CertificateHolder>) selector;
    }

    private static <T> T only(Collection<T> all) {
        check(all.size() == 1, "one element is expected, there are " + all.size());
        return all.iterator().next();
    }

    private static void check(boolean holds, String what) {
        if (!holds) {
            throw new IllegalStateException(what);
        }
    }
}
