#include "http/net/tls.h"

#include <openssl/ssl.h>

#include <algorithm>
#include <cstring>

#include "crypto/certificate.h"
#include "crypto/internal/openssl.h"

namespace proa::http {
namespace tls {

namespace openssl = crypto::openssl;

// The words of Go's server, which people search for.
constexpr std::string_view kPlainRequest =
    "HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n";

Status failure(std::string_view what) {
  return {Reason::kInvalid, std::string(what) + ": " + openssl::last_error()};
}

Result<void> use_certificate(SSL_CTX* context, const TlsOptions& options) {
  const crypto::KeyPair pair =
      TRY(crypto::KeyPair::parse({options.certificate_pem, options.private_key_pem}));
  if (SSL_CTX_use_certificate(context, pair.certificate.raw()) != 1) {
    return failure("using the certificate");
  }
  if (SSL_CTX_use_PrivateKey(context, pair.key.raw()) != 1) return failure("using the private key");
  const std::vector<crypto::Certificate> chain =
      crypto::Certificate::parse_all(options.certificate_pem);
  for (size_t i = 1; i < chain.size(); ++i) SSL_CTX_add1_chain_cert(context, chain[i].raw());
  return {};
}

Result<void> use_roots(SSL_CTX* context, std::string_view pem) {
  X509_STORE* store = SSL_CTX_get_cert_store(context);
  const std::vector<crypto::Certificate> roots = crypto::Certificate::parse_all(pem);
  for (const crypto::Certificate& root : roots) X509_STORE_add_cert(store, root.raw());
  ERR_clear_error();
  if (roots.empty()) {
    return Status(Reason::kInvalid, "no certificate found among the trusted roots");
  }
  return {};
}

constexpr unsigned char kBoth[] = "\x02h2\x08http/1.1";
constexpr unsigned char kHttp1[] = "\x08http/1.1";

int select_protocol(SSL*, const unsigned char** out, unsigned char* out_size,
                    const unsigned char* offered, unsigned int offered_size, void* http2) {
  const bool both = http2 != nullptr;
  const unsigned char* ours = both ? kBoth : kHttp1;
  const unsigned int size = both ? sizeof(kBoth) - 1 : sizeof(kHttp1) - 1;
  auto** selected = const_cast<unsigned char**>(out);
  if (SSL_select_next_proto(selected, out_size, ours, size, offered, offered_size) !=
      OPENSSL_NPN_NEGOTIATED) {
    return SSL_TLSEXT_ERR_NOACK;  // no agreement: HTTP/1.1 is the default
  }
  return SSL_TLSEXT_ERR_OK;
}

// Client certificates are verified by the authenticators, which have the current authorities; those
// of servers, if so configured, by a PeerCheck. OpenSSL keeps the verdict.
int accept_any(int, X509_STORE_CTX*) { return 1; }

void common_settings(SSL_CTX* context) {
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_options(
      context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE);
  // Idle connections keep no buffers; writes may be retried from another address.
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_cipher_list(context, "ECDHE+AESGCM:ECDHE+CHACHA20");
}

// Names are hints, so an authority that cannot be read is left out.
void name_authorities(SSL_CTX* context, std::string_view pem) {
  for (const crypto::Certificate& authority : crypto::Certificate::parse_all(pem)) {
    SSL_CTX_add_client_CA(context, authority.raw());
  }
}

bool is_address(const std::string& name) {
  ASN1_OCTET_STRING* address = a2i_IPADDRESS(name.c_str());
  ASN1_OCTET_STRING_free(address);
  return address != nullptr;
}

}  // namespace tls

Result<std::shared_ptr<const TlsContext>> TlsContext::server(const TlsOptions& options) {
  SSL_CTX* raw = SSL_CTX_new(TLS_server_method());
  CHECK(raw != nullptr);
  std::shared_ptr<const TlsContext> context(new TlsContext(raw, false));
  tls::common_settings(raw);
  TRY(tls::use_certificate(raw, options));
  SSL_CTX_set_alpn_select_cb(raw, tls::select_protocol, options.http2 ? raw : nullptr);
  SSL_CTX_set_session_cache_mode(raw, SSL_SESS_CACHE_OFF);
  if (options.request_client_certificate) {
    SSL_CTX_set_verify(raw, SSL_VERIFY_PEER, tls::accept_any);
    tls::name_authorities(raw, options.client_authorities_pem);
    // A resumed session would carry a certificate from long ago.
    SSL_CTX_set_options(raw, SSL_OP_NO_TICKET);
    SSL_CTX_set_num_tickets(raw, 0);
  }
  return context;
}

Result<std::shared_ptr<const TlsContext>> TlsContext::client(const TlsOptions& options) {
  SSL_CTX* raw = SSL_CTX_new(TLS_client_method());
  CHECK(raw != nullptr);
  std::shared_ptr<const TlsContext> context(
      new TlsContext(raw, !options.insecure_skip_verify && !options.defer_verification));
  tls::common_settings(raw);
  if (!options.certificate_pem.empty()) TRY(tls::use_certificate(raw, options));
  if (!options.roots_pem.empty()) {
    TRY(tls::use_roots(raw, options.roots_pem));
  } else {
    SSL_CTX_set_default_verify_paths(raw);
  }
  SSL_CTX_set_verify(raw, options.insecure_skip_verify ? SSL_VERIFY_NONE : SSL_VERIFY_PEER,
                     options.defer_verification ? tls::accept_any : nullptr);
  if (options.http2) {
    SSL_CTX_set_alpn_protos(raw, tls::kBoth, sizeof(tls::kBoth) - 1);
  } else {
    SSL_CTX_set_alpn_protos(raw, tls::kHttp1, sizeof(tls::kHttp1) - 1);
  }
  return context;
}

TlsContext::~TlsContext() { SSL_CTX_free(context_); }

// OpenSSL's I/O: reads from the lent bytes, appends to the output.
struct TlsBio {
  static int write(BIO* bio, const char* data, size_t size, size_t* written) {
    static_cast<TlsSession*>(BIO_get_data(bio))->outgoing_.append(data, size);
    *written = size;
    return 1;
  }

  static int read(BIO* bio, char* into, size_t size, size_t* taken) {
    auto& incoming = static_cast<TlsSession*>(BIO_get_data(bio))->incoming_;
    BIO_clear_retry_flags(bio);
    if (incoming.empty()) {
      BIO_set_retry_read(bio);
      return 0;
    }
    *taken = std::min(size, incoming.size());
    std::memcpy(into, incoming.data(), *taken);
    incoming.remove_prefix(*taken);
    return 1;
  }

  static long control(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

  static BIO_METHOD* method() {
    static BIO_METHOD* const method = [] {
      BIO_METHOD* made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "proa");
      BIO_meth_set_write_ex(made, write);
      BIO_meth_set_read_ex(made, read);
      BIO_meth_set_ctrl(made, control);
      return made;
    }();
    return method;
  }
};

TlsSession::TlsSession(std::shared_ptr<const TlsContext> context, bool is_server,
                       std::string_view server_name, bool offer_http2)
    : context_(std::move(context)), ssl_(SSL_new(context_->raw())), is_server_(is_server) {
  CHECK(ssl_ != nullptr);
  BIO* bio = BIO_new(TlsBio::method());
  BIO_set_data(bio, this);
  BIO_set_init(bio, 1);
  SSL_set_bio(ssl_, bio, bio);
  if (is_server) {
    SSL_set_accept_state(ssl_);
    return;
  }
  SSL_set_connect_state(ssl_);
  if (!offer_http2) SSL_set_alpn_protos(ssl_, tls::kHttp1, sizeof(tls::kHttp1) - 1);
  const std::string name(server_name);
  if (name.empty()) return;
  if (tls::is_address(name)) {
    X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl_), name.c_str());
  } else {
    SSL_set_tlsext_host_name(ssl_, name.c_str());
    SSL_set1_host(ssl_, name.c_str());
  }
}

TlsSession::~TlsSession() { SSL_free(ssl_); }

Status TlsSession::failure(std::string_view what) const {
  const long verdict = SSL_get_verify_result(ssl_);
  if (verdict != X509_V_OK && context_->verifies()) {
    ERR_clear_error();
    return {Reason::kServiceUnavailable,
            std::string(what) + ": certificate refused: " + X509_verify_cert_error_string(verdict)};
  }
  return {Reason::kServiceUnavailable, std::string(what) + ": " + crypto::openssl::last_error()};
}

Result<void> TlsSession::handshake() {
  if (established_) return {};
  ERR_clear_error();
  const int result = SSL_do_handshake(ssl_);
  if (result == 1) {
    established_ = true;
    return {};
  }
  const int error = SSL_get_error(ssl_, result);
  if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE) return {};
  // An alert means nothing to a peer that speaks HTTP without TLS.
  if (is_server_ && ERR_GET_REASON(ERR_peek_error()) == SSL_R_HTTP_REQUEST) {
    outgoing_ = tls::kPlainRequest;
  }
  return failure("TLS handshake");
}

std::string_view TlsSession::alpn() const {
  const unsigned char* name = nullptr;
  unsigned int size = 0;
  SSL_get0_alpn_selected(ssl_, &name, &size);
  return {reinterpret_cast<const char*>(name), size};
}

PeerCertificates TlsSession::peer_certificates() const {
  PeerCertificates peer;
  const auto append = [&peer](X509* certificate) {
    unsigned char* der = nullptr;
    const int size = i2d_X509(certificate, &der);
    if (size <= 0) return;
    peer.chain_der.emplace_back(reinterpret_cast<char*>(der), static_cast<size_t>(size));
    OPENSSL_free(der);
  };
  X509* own = SSL_get0_peer_certificate(ssl_);
  if (own == nullptr) return peer;
  append(own);
  STACK_OF(X509)* chain = SSL_get_peer_cert_chain(ssl_);
  // A client's chain includes its own certificate, a server's view of it does not.
  for (int i = 0; i < sk_X509_num(chain); ++i) {
    X509* certificate = sk_X509_value(chain, i);
    if (X509_cmp(certificate, own) != 0) append(certificate);
  }
  return peer;
}

Result<void> TlsSession::verification() const {
  const long verdict = SSL_get_verify_result(ssl_);
  if (verdict == X509_V_OK && SSL_get0_peer_certificate(ssl_) != nullptr) return {};
  return Status(Reason::kServiceUnavailable,
                std::string("certificate refused: ") + X509_verify_cert_error_string(verdict));
}

void TlsSession::receive(std::string_view ciphertext) { incoming_ = ciphertext; }

Result<size_t> TlsSession::read(char* into, size_t size) {
  ERR_clear_error();
  size_t taken = 0;
  if (SSL_read_ex(ssl_, into, size, &taken) == 1) return taken;
  const int error = SSL_get_error(ssl_, 0);
  if (error == SSL_ERROR_ZERO_RETURN) {
    ended_ = true;
    return 0;
  }
  if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE) return 0;
  return failure("TLS");
}

Result<void> TlsSession::write(std::string_view plaintext) {
  if (plaintext.empty()) return {};
  ERR_clear_error();
  size_t written = 0;
  // The sink accepts everything, so partial writes cannot happen.
  if (SSL_write_ex(ssl_, plaintext.data(), plaintext.size(), &written) == 1) return {};
  return failure("TLS");
}

void TlsSession::close_notify() {
  ERR_clear_error();
  if (established_) SSL_shutdown(ssl_);
  ERR_clear_error();
}

}  // namespace proa::http
