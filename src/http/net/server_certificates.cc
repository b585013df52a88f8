#include "http/net/server_certificates.h"

#include <openssl/ssl.h>

#include "base/check.h"
#include "crypto/identity.h"
#include "crypto/internal/openssl.h"

namespace proa::http {

Result<PeerCertificates> fetch_server_certificates(const std::string& host, int port,
                                                   Duration timeout) {
  namespace openssl = crypto::openssl;
  const auto unreachable = [&] {
    return Status(Reason::kServiceUnavailable, "no TLS server answers at " + host + ":" +
                                                   std::to_string(port) + ": " +
                                                   openssl::last_error());
  };
  const std::unique_ptr<SSL_CTX, openssl::Freed<SSL_CTX_free>> context(
      SSL_CTX_new(TLS_client_method()));
  CHECK(context != nullptr);
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_NONE, nullptr);
  const openssl::BioPointer connection(BIO_new_ssl_connect(context.get()));
  SSL* tls = nullptr;
  BIO_get_ssl(connection.get(), &tls);
  if (tls == nullptr) return unreachable();
  if (!crypto::is_ip_address(host)) SSL_set_tlsext_host_name(tls, host.c_str());
  BIO_set_conn_hostname(connection.get(), host.c_str());
  BIO_set_conn_port(connection.get(), std::to_string(port).c_str());
  BIO_set_nbio(connection.get(), 1);
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(timeout).count();
  if (BIO_do_connect_retry(connection.get(), static_cast<int>(seconds), 0) != 1) {
    return unreachable();
  }
  PeerCertificates shown;
  const STACK_OF(X509)* chain = SSL_get_peer_cert_chain(tls);
  for (int i = 0; chain != nullptr && i < sk_X509_num(chain); ++i) {
    auto der = openssl::to_der(i2d_X509, sk_X509_value(chain, i));
    if (der) shown.chain_der.push_back(std::move(*der));
  }
  return shown;
}

}  // namespace proa::http
