#include "http/net/server_certificates.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <cstring>
#include <ctime>

#include "base/check.h"
#include "crypto/identity.h"
#include "crypto/internal/openssl.h"

namespace proa::http {
namespace server_certificates {

namespace openssl = crypto::openssl;

// The cause: "Connection refused". OpenSSL's last error only says that connecting failed.
std::string first_error() {
  const unsigned long error = ERR_peek_error();
  if (!ERR_SYSTEM_ERROR(error)) return openssl::last_error();
  ERR_clear_error();
  return std::strerror(ERR_GET_REASON(error));
}

// Connects and does the handshake. The error; empty if it was successful. BIO_do_connect_retry()
// would repeat a refused connection until the timeout.
std::string shake_hands(BIO* connection, Duration timeout) {
  constexpr unsigned kPollMilliseconds = 100;  // only if the socket cannot be waited for
  const time_t deadline =
      std::time(nullptr) + std::chrono::ceil<std::chrono::seconds>(timeout).count();
  while (BIO_do_connect(connection) != 1) {
    if (BIO_should_retry(connection) == 0) return first_error();
    if (BIO_wait(connection, deadline, kPollMilliseconds) != 1) return "timed out";
  }
  return {};
}

}  // namespace server_certificates

Result<PeerCertificates> fetch_server_certificates(const std::string& host, int port,
                                                   Duration timeout) {
  namespace openssl = crypto::openssl;
  // OpenSSL would look for the port of an IPv6 address in its last part.
  const std::string name = host.find(':') == std::string::npos ? host : "[" + host + "]";
  const auto unreachable = [&](const std::string& why) {
    return Status(Reason::kServiceUnavailable,
                  "no TLS server answers at " + name + ":" + std::to_string(port) + ": " + why);
  };
  const std::unique_ptr<SSL_CTX, openssl::Freed<SSL_CTX_free>> context(
      SSL_CTX_new(TLS_client_method()));
  CHECK(context != nullptr);
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_NONE, nullptr);
  const openssl::BioPointer connection(BIO_new_ssl_connect(context.get()));
  SSL* tls = nullptr;
  BIO_get_ssl(connection.get(), &tls);
  if (tls == nullptr) return unreachable(openssl::last_error());
  if (!crypto::is_ip_address(host)) SSL_set_tlsext_host_name(tls, host.c_str());
  BIO_set_conn_hostname(connection.get(), name.c_str());
  BIO_set_conn_port(connection.get(), std::to_string(port).c_str());
  BIO_set_nbio(connection.get(), 1);
  ERR_clear_error();
  const std::string failed = server_certificates::shake_hands(connection.get(), timeout);
  if (!failed.empty()) return unreachable(failed);
  PeerCertificates shown;
  const STACK_OF(X509)* chain = SSL_get_peer_cert_chain(tls);
  for (int i = 0; chain != nullptr && i < sk_X509_num(chain); ++i) {
    auto der = openssl::to_der(i2d_X509, sk_X509_value(chain, i));
    if (der) shown.chain_der.push_back(std::move(*der));
  }
  return shown;
}

}  // namespace proa::http
