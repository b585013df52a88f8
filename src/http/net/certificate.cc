#include "http/net/certificate.h"

#include <arpa/inet.h>
#include <openssl/ec.h>
#include <openssl/rand.h>

#include <algorithm>

#include "base/check.h"
#include "http/net/openssl.h"

namespace proa::http {
namespace certificate {

using openssl::BioPointer;
using openssl::CertificatePointer;
using openssl::ExtensionPointer;
using openssl::KeyPointer;
using openssl::TimePointer;

Status failure(std::string_view what) {
  return {Reason::kInvalid, std::string(what) + ": " + openssl::last_error()};
}

std::string text_of(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return {data, static_cast<size_t>(size)};
}

CertifiedKey to_pem(X509* certificate, EVP_PKEY* key) {
  const BioPointer certificate_text(BIO_new(BIO_s_mem()));
  const BioPointer key_text(BIO_new(BIO_s_mem()));
  CHECK(PEM_write_bio_X509(certificate_text.get(), certificate) == 1);
  CHECK(PEM_write_bio_PrivateKey(key_text.get(), key, nullptr, nullptr, 0, nullptr, nullptr) == 1);
  return {text_of(certificate_text.get()), text_of(key_text.get())};
}

void add_name(X509_NAME* name, const char* field, const std::string& value) {
  X509_NAME_add_entry_by_txt(name, field, MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(value.data()),
                             static_cast<int>(value.size()), -1, 0);
}

bool add_extension(X509* certificate, X509* issuer, int id, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const ExtensionPointer extension(X509V3_EXT_conf_nid(nullptr, &context, id, value.c_str()));
  return extension && X509_add_ext(certificate, extension.get(), -1) == 1;
}

// Names go into OpenSSL's extension language, where commas would start another name.
bool is_plain(const std::string& name) {
  return !name.empty() && name.find_first_of(",\n\r=") == std::string::npos;
}

TimePointer to_time(Time time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time.time_since_epoch()).count();
  return TimePointer(ASN1_TIME_set(nullptr, static_cast<time_t>(seconds)));
}

Result<CertificatePointer> describe(const CertificateTemplate& wanted, EVP_PKEY* key) {
  CertificatePointer made(X509_new());
  X509_set_version(made.get(), X509_VERSION_3);
  // 127 random bits: a serial number is positive and can't be foreseen.
  unsigned char serial[16];
  CHECK(RAND_bytes(serial, sizeof(serial)) == 1);
  serial[0] &= 0x7f;
  BIGNUM* number = BN_bin2bn(serial, sizeof(serial), nullptr);
  BN_to_ASN1_INTEGER(number, X509_get_serialNumber(made.get()));
  BN_free(number);
  X509_set1_notBefore(made.get(), to_time(wanted.not_before).get());
  X509_set1_notAfter(made.get(), to_time(wanted.not_after).get());
  X509_NAME* subject = X509_get_subject_name(made.get());
  for (const auto& organization : wanted.organizations) add_name(subject, "O", organization);
  add_name(subject, "CN", wanted.common_name);
  if (X509_set_pubkey(made.get(), key) != 1) return failure("making a certificate");

  std::string names;
  for (const auto& name : wanted.dns_names) {
    if (!is_plain(name)) return Status(Reason::kInvalid, "not a DNS name: " + name);
    names += (names.empty() ? "DNS:" : ",DNS:") + name;
  }
  for (const auto& address : wanted.ip_addresses) {
    if (!is_plain(address)) return Status(Reason::kInvalid, "not an IP address: " + address);
    names += (names.empty() ? "IP:" : ",IP:") + address;
  }
  if (!names.empty() && !add_extension(made.get(), nullptr, NID_subject_alt_name, names)) {
    return failure("naming " + names);
  }
  return made;
}

// A pair as OpenSSL has it.
struct Pair {
  CertificatePointer certificate;
  KeyPointer key;
};

Result<Pair> read(const CertifiedKey& pair) {
  const BioPointer certificate_text = openssl::reading(pair.certificate_pem);
  const BioPointer key_text = openssl::reading(pair.private_key_pem);
  Pair read{
      CertificatePointer(PEM_read_bio_X509(certificate_text.get(), nullptr, nullptr, nullptr)),
      KeyPointer(PEM_read_bio_PrivateKey(key_text.get(), nullptr, nullptr, nullptr))};
  if (!read.certificate) return failure("reading the certificate");
  if (!read.key) return failure("reading the private key");
  if (X509_check_private_key(read.certificate.get(), read.key.get()) != 1) {
    return failure("private key and certificate differ");
  }
  return read;
}

bool names(X509* certificate, const std::string& name) {
  return is_ip_address(name)
             ? X509_check_ip_asc(certificate, name.c_str(), 0) == 1
             : X509_check_host(certificate, name.data(), name.size(), 0, nullptr) == 1;
}

KeyPointer new_key() { return KeyPointer(EVP_EC_gen("P-256")); }

}  // namespace certificate

bool is_ip_address(const std::string& name) {
  in6_addr buffer{};
  return inet_pton(AF_INET, name.c_str(), &buffer) == 1 ||
         inet_pton(AF_INET6, name.c_str(), &buffer) == 1;
}

Result<void> check_pair(const CertifiedKey& pair) {
  TRY(certificate::read(pair));
  return {};
}

Result<bool> is_good_for(const CertifiedKey& pair, const CertifiedKey& authority,
                         std::span<const std::string> names, Time until) {
  const auto shown = TRY(certificate::read(pair));
  const auto signer = TRY(certificate::read(authority));
  X509* certificate = shown.certificate.get();
  const bool is_signed = X509_verify(certificate, signer.key.get()) == 1;
  ERR_clear_error();
  const auto end = certificate::to_time(until);
  if (!is_signed || ASN1_TIME_compare(X509_get0_notAfter(certificate), end.get()) <= 0)
    return false;
  return std::ranges::all_of(
      names, [&](const std::string& name) { return certificate::names(certificate, name); });
}

Result<CertifiedKey> make_authority(const CertificateTemplate& wanted) {
  const auto key = certificate::new_key();
  if (!key) return certificate::failure("making a key");
  const auto made = TRY(certificate::describe(wanted, key.get()));
  X509_set_issuer_name(made.get(), X509_get_subject_name(made.get()));
  if (!certificate::add_extension(made.get(), made.get(), NID_basic_constraints,
                                  "critical,CA:TRUE") ||
      !certificate::add_extension(made.get(), made.get(), NID_key_usage,
                                  "critical,digitalSignature,keyCertSign,cRLSign") ||
      !certificate::add_extension(made.get(), made.get(), NID_subject_key_identifier, "hash") ||
      X509_sign(made.get(), key.get(), EVP_sha256()) == 0) {
    return certificate::failure("making an authority");
  }
  return certificate::to_pem(made.get(), key.get());
}

Result<CertifiedKey> issue_certificate(const CertifiedKey& authority,
                                       const CertificateTemplate& wanted) {
  const auto signer = TRY(certificate::read(authority));
  X509* issuer = signer.certificate.get();
  const auto key = certificate::new_key();
  if (!key) return certificate::failure("making a key");
  const auto made = TRY(certificate::describe(wanted, key.get()));
  X509_set_issuer_name(made.get(), X509_get_subject_name(issuer));
  std::string uses;
  if (wanted.for_server) uses = "serverAuth";
  if (wanted.for_client) uses += uses.empty() ? "clientAuth" : ",clientAuth";
  if (!certificate::add_extension(made.get(), issuer, NID_basic_constraints, "critical,CA:FALSE") ||
      !certificate::add_extension(made.get(), issuer, NID_key_usage,
                                  "critical,digitalSignature,keyEncipherment") ||
      (!uses.empty() && !certificate::add_extension(made.get(), issuer, NID_ext_key_usage, uses)) ||
      !certificate::add_extension(made.get(), issuer, NID_authority_key_identifier, "keyid") ||
      X509_sign(made.get(), signer.key.get(), EVP_sha256()) == 0) {
    return certificate::failure("issuing a certificate");
  }
  return certificate::to_pem(made.get(), key.get());
}

}  // namespace proa::http
