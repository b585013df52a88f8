#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/encoding.h"
#include "http/net/openssl.h"
#include "json/value.h"

// Requests for certificates, good and bad, for tests.
namespace proa::client {

inline http::openssl::KeyPointer make_test_key(std::string_view kind) {
  if (kind == "Ed25519") {
    return http::openssl::KeyPointer(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"));
  }
  if (kind.starts_with("RSA-")) {
    const size_t bits = std::stoul(std::string(kind.substr(4)));
    return http::openssl::KeyPointer(EVP_PKEY_Q_keygen(nullptr, nullptr, "RSA", bits));
  }
  return http::openssl::KeyPointer(EVP_EC_gen(std::string(kind).c_str()));
}

struct TestRequest {
  // In their order; of one kind there may be several: {"O", "system:nodes"}, {"CN", "joe"}.
  std::vector<std::pair<std::string, std::string>> subject;
  std::string names;  // as OpenSSL writes them: "DNS:a.example,IP:10.0.0.1"; empty: none
  std::string key = "P-256";
  const EVP_MD* digest = EVP_sha256();
  bool other_signature = false;  // of a key that is not the one in the request

  std::string der() const {
    using http::openssl::Freed;
    const std::unique_ptr<X509_REQ, Freed<X509_REQ_free>> request(X509_REQ_new());
    const http::openssl::KeyPointer own = make_test_key(key);
    X509_NAME* name = X509_REQ_get_subject_name(request.get());
    for (const auto& [field, value] : subject) {
      CHECK(X509_NAME_add_entry_by_txt(name, field.c_str(), V_ASN1_UTF8STRING,
                                       reinterpret_cast<const unsigned char*>(value.data()),
                                       static_cast<int>(value.size()), -1, 0) == 1);
    }
    CHECK(X509_REQ_set_pubkey(request.get(), own.get()) == 1);
    if (!names.empty()) add_names(request.get());
    const http::openssl::KeyPointer signer = other_signature ? make_test_key(key) : nullptr;
    CHECK(X509_REQ_sign(request.get(), signer != nullptr ? signer.get() : own.get(),
                        key == "Ed25519" ? nullptr : digest) > 0);
    unsigned char* bytes = nullptr;
    const int size = i2d_X509_REQ(request.get(), &bytes);
    CHECK(size > 0);
    std::string text(reinterpret_cast<const char*>(bytes), static_cast<size_t>(size));
    OPENSSL_free(bytes);
    return text;
  }
  static std::string to_pem(std::string_view der) {
    return "-----BEGIN CERTIFICATE REQUEST-----\n" + to_base64(der) +
           "\n-----END CERTIFICATE REQUEST-----\n";
  }
  std::string pem() const { return to_pem(der()); }

 private:
  void add_names(X509_REQ* request) const {
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, nullptr, nullptr, request, nullptr, 0);
    STACK_OF(X509_EXTENSION)* extensions = sk_X509_EXTENSION_new_null();
    X509_EXTENSION* extension =
        X509V3_EXT_conf_nid(nullptr, &context, NID_subject_alt_name, names.c_str());
    CHECK(extension != nullptr);
    sk_X509_EXTENSION_push(extensions, extension);
    CHECK(X509_REQ_add_extensions(request, extensions) == 1);
    sk_X509_EXTENSION_pop_free(extensions, X509_EXTENSION_free);
  }
};

// A CertificateSigningRequest.
struct TestRequestObject {
  std::string signer;
  std::vector<std::string> usages;
  std::string pem;
  std::string username = "";
  std::vector<std::string> conditions = {};  // types
  int64_t seconds = 0;                       // zero: as long as possible

  json::Document document() const {
    json::Document made;
    json::Arena& arena = made.arena();
    made.root() = json::Value::object();
    json::Value metadata = json::Value::object();
    metadata.set(arena, "name", json::Value::borrowed("mine"));
    made.root().set(arena, "metadata", std::move(metadata));
    json::Value spec = json::Value::object();
    spec.set(arena, "signerName", json::Value::string(arena, signer));
    spec.set(arena, "username", json::Value::string(arena, username));
    spec.set(arena, "request", json::Value::string(arena, to_base64(pem)));
    if (seconds != 0) spec.set(arena, "expirationSeconds", json::Value::integer(seconds));
    json::Value list = json::Value::array();
    for (const std::string& usage : usages) {
      list.push_back(arena, json::Value::string(arena, usage));
    }
    spec.set(arena, "usages", std::move(list));
    made.root().set(arena, "spec", std::move(spec));
    json::Value said = json::Value::array();
    for (const std::string& type : conditions) {
      json::Value condition = json::Value::object();
      condition.set(arena, "type", json::Value::string(arena, type));
      condition.set(arena, "status", json::Value::borrowed("True"));
      said.push_back(arena, std::move(condition));
    }
    json::Value status = json::Value::object();
    status.set(arena, "conditions", std::move(said));
    made.root().set(arena, "status", std::move(status));
    return made;
  }
};

}  // namespace proa::client
