#include "controllers/certificates/sign.h"

#include <openssl/rand.h>
#include <openssl/x509.h>

#include <algorithm>
#include <ctime>
#include <limits>

#include "base/check.h"
#include "client/certificates/signer_rules.h"
#include "http/net/openssl.h"

namespace proa::controllers {
namespace sign_unit {

using api::View;
using http::openssl::BioPointer;
using http::openssl::CertificatePointer;
using http::openssl::ExtensionPointer;
using http::openssl::Freed;
using http::openssl::KeyPointer;
using http::openssl::last_error;
using http::openssl::TimePointer;
using NamesPointer = std::unique_ptr<GENERAL_NAMES, Freed<GENERAL_NAMES_free>>;
using NumberPointer = std::unique_ptr<BIGNUM, Freed<BN_free>>;

// Clocks of those who check a certificate may be behind ours.
constexpr Duration kBackdate = std::chrono::minutes(5);
// Certificates that live shorter than this end when they were asked to, without being cut by what
// they are backdated.
constexpr Duration kShort = std::chrono::hours(8);
// However little was asked for.
constexpr Duration kLeast = std::chrono::minutes(10);

Status failure(std::string_view what) {
  return {Reason::kInternalError, std::string(what) + ": " + last_error()};
}

struct Authority {
  CertificatePointer certificate;
  KeyPointer key;
  Time not_after;
};

// As far as Time reaches, which is 2262.
Result<Time> read_time(const ASN1_TIME* time) {
  tm parts{};
  if (ASN1_TIME_to_tm(time, &parts) != 1) return failure("reading the end of the authority");
  const std::chrono::seconds since(timegm(&parts));
  constexpr auto kMost = std::chrono::floor<std::chrono::seconds>(Duration::max());
  return Time(std::min(since, kMost));
}

Result<Authority> read_authority(const http::CertifiedKey& pair) {
  const BioPointer certificate_text = http::openssl::reading(pair.certificate_pem);
  const BioPointer key_text = http::openssl::reading(pair.private_key_pem);
  const auto no_passphrase = [](char*, int, int, void*) { return 0; };
  Authority read{
      CertificatePointer(PEM_read_bio_X509(certificate_text.get(), nullptr, nullptr, nullptr)),
      KeyPointer(PEM_read_bio_PrivateKey(key_text.get(), nullptr, no_passphrase, nullptr)), Time()};
  if (read.certificate == nullptr) return failure("reading the certificate of the authority");
  if (read.key == nullptr) return failure("reading the key of the authority");
  if (X509_check_private_key(read.certificate.get(), read.key.get()) != 1) {
    return failure("certificate and key of the authority differ");
  }
  read.not_after = TRY(read_time(X509_get0_notAfter(read.certificate.get())));
  return read;
}

struct Validity {
  Time not_before;
  Time not_after;
};

Result<Validity> validity_of(View object, Time now, Time end_of_authority, Duration longest) {
  Duration life = longest;
  if (const View seconds = object["spec"]["expirationSeconds"]; seconds) {
    // 32 bits in the API; more would not fit into a Duration.
    constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
    const Duration asked = std::chrono::seconds(std::clamp(seconds.integer(), int64_t{0}, kMost));
    life = asked > longest ? longest : std::max(asked, kLeast);
  }
  const Validity validity{
      now - kBackdate,
      std::min(now + life - (life < kShort ? Duration(0) : kBackdate), end_of_authority)};
  if (validity.not_before >= end_of_authority) {
    return Status(Reason::kInternalError,
                  "the signer has expired: NotAfter=" + format_time(end_of_authority));
  }
  if (now >= end_of_authority) {
    return Status(Reason::kInternalError,
                  "refusing to sign a certificate that expired in the past: NotAfter=" +
                      format_time(end_of_authority));
  }
  return validity;
}

void set_validity(X509* certificate, const Validity& validity) {
  const auto to_asn1 = [](Time time) {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(time.time_since_epoch()).count();
    return TimePointer(ASN1_TIME_set(nullptr, static_cast<time_t>(seconds)));
  };
  CHECK(X509_set1_notBefore(certificate, to_asn1(validity.not_before).get()) == 1);
  CHECK(X509_set1_notAfter(certificate, to_asn1(validity.not_after).get()) == 1);
}

void set_serial_number(X509* certificate) {
  // 127 random bits: a serial number is positive and can't be foreseen.
  unsigned char serial[16];
  CHECK(RAND_bytes(serial, sizeof serial) == 1);
  serial[0] &= 0x7f;
  const NumberPointer number(BN_bin2bn(serial, sizeof serial, nullptr));
  CHECK(BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) != nullptr);
}

// All values of one kind are one part of the name, as upstream writes them. Not by OpenSSL's own
// tables, which allow 64 characters only: names of nodes may be longer.
bool add_part(X509_NAME* name, int id, std::span<const std::string> values) {
  int set = 0;
  for (const std::string& value : values) {
    if (X509_NAME_add_entry_by_NID(name, id, V_ASN1_UTF8STRING,
                                   reinterpret_cast<const unsigned char*>(value.data()),
                                   static_cast<int>(value.size()), -1, set) != 1) {
      return false;
    }
    set = -1;
  }
  return true;
}

bool set_subject(X509* certificate, const client::RequestedSubject& subject) {
  X509_NAME* name = X509_get_subject_name(certificate);
  const auto single = [](const std::string& text) {
    return std::span<const std::string>(&text, text.empty() ? 0 : 1);
  };
  return add_part(name, NID_countryName, subject.countries) &&
         add_part(name, NID_organizationName, subject.organizations) &&
         add_part(name, NID_organizationalUnitName, subject.organizational_units) &&
         add_part(name, NID_localityName, subject.localities) &&
         add_part(name, NID_stateOrProvinceName, subject.provinces) &&
         add_part(name, NID_streetAddress, subject.street_addresses) &&
         add_part(name, NID_postalCode, subject.postal_codes) &&
         add_part(name, NID_commonName, single(subject.common_name)) &&
         add_part(name, NID_serialNumber, single(subject.serial_number));
}

bool add_extension(X509* certificate, X509* issuer, int id, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const ExtensionPointer extension(X509V3_EXT_conf_nid(nullptr, &context, id, value));
  return extension != nullptr && X509_add_ext(certificate, extension.get(), -1) == 1;
}

// REQUIRES: the usages are ones that signers take.
bool add_usages(X509* certificate, X509* issuer, std::span<const std::string_view> usages) {
  const auto has = [&](std::string_view usage) {
    return std::ranges::find(usages, usage) != usages.end();
  };
  std::string key_usage = "critical";
  if (has("digital signature")) key_usage += ",digitalSignature";
  if (has("key encipherment")) key_usage += ",keyEncipherment";
  if (key_usage != "critical" &&
      !add_extension(certificate, issuer, NID_key_usage, key_usage.c_str())) {
    return false;
  }
  const char* purpose = has("server auth") ? "serverAuth" : "clientAuth";
  return add_extension(certificate, issuer, NID_ext_key_usage, purpose);
}

bool add_names_of(GENERAL_NAMES* names, int type, std::span<const std::string> values) {
  for (const std::string& value : values) {
    ASN1_STRING* text =
        ASN1_STRING_type_new(type == GEN_IPADD ? V_ASN1_OCTET_STRING : V_ASN1_IA5STRING);
    GENERAL_NAME* name = GENERAL_NAME_new();
    CHECK(text != nullptr && name != nullptr);
    CHECK(ASN1_STRING_set(text, value.data(), static_cast<int>(value.size())) == 1);
    GENERAL_NAME_set0_value(name, type, text);
    CHECK(sk_GENERAL_NAME_push(names, name) > 0);
  }
  return !values.empty();
}

bool add_names(X509* certificate, const client::RequestedNames& requested) {
  const NamesPointer names(sk_GENERAL_NAME_new_null());
  bool any = add_names_of(names.get(), GEN_DNS, requested.dns_names);
  any |= add_names_of(names.get(), GEN_EMAIL, requested.email_addresses);
  any |= add_names_of(names.get(), GEN_IPADD, requested.ip_addresses);
  any |= add_names_of(names.get(), GEN_URI, requested.uris);
  if (!any) return true;
  // Without a subject they are all that the certificate says.
  const int critical = X509_NAME_entry_count(X509_get_subject_name(certificate)) == 0 ? 1 : 0;
  return X509_add1_ext_i2d(certificate, NID_subject_alt_name, names.get(), critical,
                           X509V3_ADD_DEFAULT) == 1;
}

Result<std::string> to_pem(X509* certificate) {
  const BioPointer bio(BIO_new(BIO_s_mem()));
  if (PEM_write_bio_X509(bio.get(), certificate) != 1) return failure("writing a certificate");
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return std::string(data, static_cast<size_t>(size));
}

// Of what was read from the request, and nothing else of it.
Result<std::string> issue(const client::CertificateRequest& request,
                          std::span<const std::string_view> usages, const Validity& validity,
                          const Authority& authority) {
  const CertificatePointer made(X509_new());
  X509* certificate = made.get();
  X509* issuer = authority.certificate.get();
  CHECK(certificate != nullptr && X509_set_version(certificate, X509_VERSION_3) == 1);
  set_serial_number(certificate);
  set_validity(certificate, validity);
  const int kind = EVP_PKEY_get_base_id(authority.key.get());
  const EVP_MD* digest = kind == EVP_PKEY_ED25519 ? nullptr : EVP_sha256();
  if (!set_subject(certificate, request.subject()) ||
      X509_set_issuer_name(certificate, X509_get_subject_name(issuer)) != 1 ||
      X509_set_pubkey(certificate, X509_REQ_get0_pubkey(request.raw())) != 1 ||
      !add_usages(certificate, issuer, usages) ||
      !add_extension(certificate, issuer, NID_basic_constraints, "critical,CA:FALSE") ||
      !add_extension(certificate, issuer, NID_authority_key_identifier, "keyid") ||
      !add_names(certificate, request.names()) ||
      X509_sign(certificate, authority.key.get(), digest) == 0) {
    return failure("failed to sign certificate");
  }
  return to_pem(certificate);
}

}  // namespace sign_unit

Result<Signed> sign_request(api::View object, const http::CertifiedKey& authority,
                            const Clock& clock, Duration longest) {
  using namespace sign_unit;
  const client::RequestVerdict verdict = client::request_verdict_of(object);
  const std::string_view signer = object["spec"]["signerName"].text();
  if (!verdict.approved || verdict.denied || verdict.failed || client::has_certificate(object) ||
      !client::is_own_signer(signer)) {
    return Signed{};
  }
  const client::CertificateRequest request = TRY(client::request_of(object));
  const std::vector<std::string_view> usages = client::usages_of(object);
  if (const auto fine = client::check_for_signer(signer, request, usages); !fine) {
    return Signed{.condition = client::RequestCondition{.type = "Failed",
                                                        .reason = "SignerValidationFailure",
                                                        .message = fine.status().message()}};
  }
  if (const auto proved = request.check_signature(); !proved) {
    return proved.status().in("unable to verify certificate request signature");
  }
  const Authority signing = TRY(read_authority(authority));
  const Validity validity = TRY(validity_of(object, clock.now(), signing.not_after, longest));
  Signed done;
  done.certificate_pem = TRY(issue(request, usages, validity, signing));
  return done;
}

}  // namespace proa::controllers
