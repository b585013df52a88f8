#pragma once

#include "base/result.h"
#include "crypto/identity.h"
#include "crypto/internal/openssl.h"

// CertificateIdentity to and from OpenSSL's structures, for certificates and requests alike.
namespace proa::crypto::openssl {

// All of them are strict: kInvalid, in the words of Go's x509, for text that is none, zero bytes,
// and addresses that are neither IPv4 nor IPv6.
Result<void> read_subject(const X509_NAME* name, CertificateIdentity& identity);
// From the extensions of a certificate or request; null: there are none.
Result<void> read_names(const STACK_OF(X509_EXTENSION) * extensions, CertificateIdentity& identity);

// All values of one kind become one part of the name, as Go's x509 writes them. kInvalid for what
// cannot be encoded.
Result<void> write_subject(const CertificateIdentity& identity, X509_NAME* name);
// The alternative names; null if there are none.
Result<NamesPointer> make_names(const CertificateIdentity& identity);

// Refuses DNS names that are empty or would read like several: kInvalid.
Result<void> check_dns_names(const CertificateIdentity& identity);

}  // namespace proa::crypto::openssl
