#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

struct X509_req_st;

namespace proa::client {

// Whom a certificate is asked for. Where a name may stand only once, the last one counts.
struct RequestedSubject {
  std::string common_name;
  std::string serial_number;
  std::vector<std::string> countries;
  std::vector<std::string> organizations;
  std::vector<std::string> organizational_units;
  std::vector<std::string> localities;
  std::vector<std::string> provinces;
  std::vector<std::string> street_addresses;
  std::vector<std::string> postal_codes;
};

// What else a certificate is asked for; names of other kinds are left out.
struct RequestedNames {
  std::vector<std::string> dns_names;
  std::vector<std::string> email_addresses;
  std::vector<std::string> uris;
  std::vector<std::string> ip_addresses;  // four or sixteen bytes each
};

// A PKCS#10 request, which somebody else wrote: nothing in it is trusted. What it says is read
// once, and certificates are made of what was read, so that nothing gets into them unseen.
class CertificateRequest {
 public:
  // Of the first PEM block. kInvalid where it is none, says twice what may stand there once, or has
  // names that no certificate can have.
  static Result<CertificateRequest> parse(std::string_view pem);

  const RequestedSubject& subject() const { return subject_; }
  const RequestedNames& names() const { return names_; }

  // Whether whoever sent it has the private key. kInvalid also for kinds of keys and signatures
  // that nobody should use any more.
  Result<void> check_signature() const;

  // For the one who makes the certificate.
  X509_req_st* raw() const { return request_.get(); }

 private:
  struct Free {
    void operator()(X509_req_st* request) const;
  };
  using Pointer = std::unique_ptr<X509_req_st, Free>;

  explicit CertificateRequest(Pointer request) : request_(std::move(request)) {}

  Pointer request_;
  RequestedSubject subject_;
  RequestedNames names_;
};

}  // namespace proa::client
