package apidoc

// genuine holds the samples by language.
var genuine = map[string]string{
	"curl": `KEY=$(printf %s "${SECRET#whsec_}" | base64 -d | od -An -v -tx1 | tr -d ' \n')
WANT=v1,$({ printf '%s.%s.' "$ID" "$TIMESTAMP"; cat body.json; } \
    | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$KEY" -binary | base64)
AGE=$(($(date +%s) - TIMESTAMP))
case " $SIGNATURE " in
*" $WANT "*) [ "$AGE" -lt 300 ] && echo genuine ;;
*) echo forged; exit 1 ;;
esac`,
	"go": `package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"log"
	"os"
	"strconv"
	"strings"
	"time"
)

func genuine(secret, id, timestamp, signatures string, body []byte) bool {
	at, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || time.Since(time.Unix(at, 0)).Abs() > 5*time.Minute {
		return false
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return false
	}
	h := hmac.New(sha256.New, key)
	fmt.Fprintf(h, "%s.%s.%s", id, timestamp, body)
	want := "v1," + base64.StdEncoding.EncodeToString(h.Sum(nil))
	for _, s := range strings.Fields(signatures) {
		if hmac.Equal([]byte(s), []byte(want)) {
			return true
		}
	}
	return false
}

func main() {
	body, err := os.ReadFile("body.json")
	if err != nil {
		log.Fatal(err)
	}
	if !genuine(os.Getenv("SECRET"), os.Getenv("ID"), os.Getenv("TIMESTAMP"), os.Getenv("SIGNATURE"), body) {
		log.Fatal("forged")
	}
	fmt.Println("genuine")
}`,
	"python": `import base64, hashlib, hmac, os, sys, time

def genuine(secret, id, timestamp, signatures, body):
    if abs(time.time() - int(timestamp)) > 300:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{id}.{timestamp}.".encode() + body
    want = b"v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256))
    return any(hmac.compare_digest(s.encode(), want) for s in signatures.split())

with open("body.json", "rb") as f:
    body = f.read()
if not genuine(os.environ["SECRET"], os.environ["ID"], os.environ["TIMESTAMP"], os.environ["SIGNATURE"], body):
    sys.exit("forged")
print("genuine")`,
	"javascript": `import { createHmac, timingSafeEqual } from "node:crypto";
import { readFileSync } from "node:fs";

function genuine(secret, id, timestamp, signatures, body) {
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) < 300)) return false;
  const key = Buffer.from(secret.replace("whsec_", ""), "base64");
  const hash = createHmac("sha256", key).update(id + "." + timestamp + ".").update(body);
  const want = Buffer.from("v1," + hash.digest("base64"));
  return signatures.split(" ").some((s) => {
    const given = Buffer.from(s);
    return given.length === want.length && timingSafeEqual(given, want);
  });
}

const { SECRET, ID, TIMESTAMP, SIGNATURE } = process.env;
if (!genuine(SECRET, ID, TIMESTAMP, SIGNATURE, readFileSync("body.json"))) {
  console.log("forged");
  process.exit(1);
}
console.log("genuine");`,
	"php": `<?php
function genuine(string $secret, string $id, string $timestamp, string $signatures, string $body): bool
{
    if (abs(time() - (int) $timestamp) > 300) {
        return false;
    }
    $key = base64_decode(substr($secret, strlen("whsec_")));
    $want = "v1," . base64_encode(hash_hmac("sha256", "$id.$timestamp.$body", $key, true));
    foreach (explode(" ", $signatures) as $given) {
        if (hash_equals($want, $given)) {
            return true;
        }
    }
    return false;
}

$body = file_get_contents("body.json");
if (!genuine(getenv("SECRET"), getenv("ID"), getenv("TIMESTAMP"), getenv("SIGNATURE"), $body)) {
    fwrite(STDERR, "forged\n");
    exit(1);
}
echo "genuine\n";`,
}
