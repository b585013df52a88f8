#include "connection.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <sstream>

#include "base/encoding.h"

namespace proa::load {
namespace connection {

// Several records at a system call.
constexpr size_t kReadBuffer = 64 * 1024;

using Bio = std::unique_ptr<BIO, decltype(&BIO_free_all)>;

// Borrows the text.
Bio reading(const std::string& text) {
  return {BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), BIO_free_all};
}

std::string value_of(const std::string& text, const std::string& name) {
  const size_t at = text.find(" " + name + ": ");
  if (at == std::string::npos) fail("the kubeconfig has no " + name);
  const size_t from = at + name.size() + 3;
  return text.substr(from, text.find('\n', from) - from);
}

std::string pem_of(const std::string& text, const std::string& name) {
  const auto pem = from_base64(value_of(text, name));
  if (!pem) fail("the kubeconfig's " + name + " is not base64");
  return *pem;
}

std::shared_ptr<SSL_CTX> make_context(const Identity& identity, Protocol protocol) {
  std::shared_ptr<SSL_CTX> context(SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
  const Bio authority = reading(identity.authority_pem);
  const Bio certificate = reading(identity.certificate_pem);
  const Bio key = reading(identity.key_pem);
  const std::unique_ptr<X509, decltype(&X509_free)> trusted(
      PEM_read_bio_X509(authority.get(), nullptr, nullptr, nullptr), X509_free);
  const std::unique_ptr<X509, decltype(&X509_free)> own(
      PEM_read_bio_X509(certificate.get(), nullptr, nullptr, nullptr), X509_free);
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> secret(
      PEM_read_bio_PrivateKey(key.get(), nullptr, nullptr, nullptr), EVP_PKEY_free);
  const bool good =
      trusted && own && secret &&
      X509_STORE_add_cert(SSL_CTX_get_cert_store(context.get()), trusted.get()) == 1 &&
      SSL_CTX_use_certificate(context.get(), own.get()) == 1 &&
      SSL_CTX_use_PrivateKey(context.get(), secret.get()) == 1;
  if (!good) fail("the certificates can't be used");
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  // What Go's client prefers.
  SSL_CTX_set_ciphersuites(context.get(), "TLS_AES_128_GCM_SHA256");
  SSL_CTX_set_read_ahead(context.get(), 1);
  SSL_CTX_set_default_read_buffer_len(context.get(), kReadBuffer);
  SSL_CTX_set_mode(context.get(), SSL_MODE_ENABLE_PARTIAL_WRITE);
  const std::string protocols =
      protocol == Protocol::kHttp1 ? std::string("\x08http/1.1") : std::string("\x02h2");
  SSL_CTX_set_alpn_protos(context.get(), reinterpret_cast<const unsigned char*>(protocols.data()),
                          static_cast<unsigned>(protocols.size()));
  return context;
}

// -1 when nobody listens.
int connect_to(int port) {
  const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  ::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<uint16_t>(port));
  if (::connect(descriptor, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0)
    return descriptor;
  ::close(descriptor);
  return -1;
}

}  // namespace connection

Target read_target(const std::string& kubeconfig_path) {
  std::ostringstream text;
  text << std::ifstream(kubeconfig_path).rdbuf();
  const std::string server = connection::value_of(text.str(), "server");
  return make_target(std::stoi(server.substr(server.rfind(':') + 1)),
                     {connection::pem_of(text.str(), "certificate-authority-data"),
                      connection::pem_of(text.str(), "client-certificate-data"),
                      connection::pem_of(text.str(), "client-key-data")});
}

Target make_target(int port, const Identity& identity) {
  return {.port = port,
          .http1 = connection::make_context(identity, Protocol::kHttp1),
          .http2 = connection::make_context(identity, Protocol::kHttp2)};
}

Connection::Connection(const Target& target, Protocol protocol, Framing::Events& events)
    : descriptor_(connection::connect_to(target.port)),
      tls_(SSL_new((protocol == Protocol::kHttp1 ? target.http1 : target.http2).get())),
      events_(events),
      framing_(make_framing(protocol)) {
  if (descriptor_ < 0) fail("the server does not accept connections");
  SSL_set_fd(tls_, descriptor_);
  if (SSL_connect(tls_) != 1) fail("the TLS handshake failed");
  ::fcntl(descriptor_, F_SETFL, O_NONBLOCK);
  framing_->greet(out_);
}

Connection::~Connection() {
  SSL_free(tls_);
  ::close(descriptor_);
}

void Connection::flush() {
  size_t at = 0;
  while (at < out_.size()) {
    const int written = SSL_write(tls_, out_.data() + at, static_cast<int>(out_.size() - at));
    if (written > 0) {
      at += static_cast<size_t>(written);
    } else if (SSL_get_error(tls_, written) == SSL_ERROR_WANT_WRITE) {
      // Rare: what is under way is a few kilobytes.
      pollfd wanted{descriptor_, POLLOUT, 0};
      ::poll(&wanted, 1, -1);
    } else {
      fail("the server closed a connection");
    }
  }
  out_.clear();
}

void Connection::on_readable() {
  static thread_local std::array<char, connection::kReadBuffer> buffer;
  for (;;) {
    const int count = SSL_read(tls_, buffer.data(), buffer.size());
    if (count > 0) {
      framing_->take({buffer.data(), static_cast<size_t>(count)}, events_, out_);
      // Asking the kernel once more only to hear that nothing is there would cost a system call.
      if (SSL_has_pending(tls_)) continue;
    } else if (SSL_get_error(tls_, count) != SSL_ERROR_WANT_READ) {
      fail("the server closed a connection");
    }
    break;
  }
  if (!out_.empty()) flush();
}

Poller::Poller() : descriptor_(::epoll_create1(EPOLL_CLOEXEC)) {}

Poller::~Poller() { ::close(descriptor_); }

void Poller::add(Connection& connection) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.ptr = &connection;
  ::epoll_ctl(descriptor_, EPOLL_CTL_ADD, connection.descriptor(), &event);
}

void Poller::wait(int milliseconds) {
  std::array<epoll_event, 256> events;
  const int count = ::epoll_wait(descriptor_, events.data(), events.size(), milliseconds);
  for (int i = 0; i < count; ++i)
    static_cast<Connection*>(events[static_cast<size_t>(i)].data.ptr)->on_readable();
}

bool is_ready(int port) {
  const int descriptor = connection::connect_to(port);
  if (descriptor < 0) return false;
  static const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context(
      SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
  SSL* tls = SSL_new(context.get());
  SSL_set_fd(tls, descriptor);
  constexpr std::string_view kQuestion =
      "GET /readyz?exclude=runtime HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n";
  std::array<char, 512> answer{};
  const bool ready = SSL_connect(tls) == 1 &&
                     SSL_write(tls, kQuestion.data(), kQuestion.size()) > 0 &&
                     SSL_read(tls, answer.data(), answer.size()) > 0 &&
                     std::string_view(answer.data()).starts_with("HTTP/1.1 200 ");
  SSL_free(tls);
  ::close(descriptor);
  ERR_clear_error();
  return ready;
}

}  // namespace proa::load
