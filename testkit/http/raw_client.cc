#include "testkit/http/raw_client.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>

#include "base/check.h"
#include "base/strings.h"
#include "testkit/http/inbox.h"

namespace proa::testkit {

struct RawClient::Tls {
  SSL_CTX* context = nullptr;
  SSL* session = nullptr;

  ~Tls() {
    SSL_free(session);
    SSL_CTX_free(context);
  }
};

namespace raw_client {

sockaddr_in address_of(const std::string& address, int port) {
  sockaddr_in made{};
  made.sin_family = AF_INET;
  made.sin_port = htons(static_cast<uint16_t>(port));
  CHECK(inet_pton(AF_INET, address.c_str(), &made.sin_addr) == 1);
  return made;
}

void show_certificate(SSL_CTX* context, const crypto::CertifiedKey& key) {
  BIO* certificate_text = BIO_new_mem_buf(key.certificate_pem.data(), -1);
  BIO* key_text = BIO_new_mem_buf(key.private_key_pem.data(), -1);
  X509* certificate = PEM_read_bio_X509(certificate_text, nullptr, nullptr, nullptr);
  EVP_PKEY* private_key = PEM_read_bio_PrivateKey(key_text, nullptr, nullptr, nullptr);
  CHECK(SSL_CTX_use_certificate(context, certificate) == 1);
  CHECK(SSL_CTX_use_PrivateKey(context, private_key) == 1);
  X509_free(certificate);
  EVP_PKEY_free(private_key);
  BIO_free(certificate_text);
  BIO_free(key_text);
}

}  // namespace raw_client

RawClient::RawClient(int port, const Options& options) {
  descriptor_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  CHECK(descriptor_ >= 0);
  const int on = 1;
  ::setsockopt(descriptor_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  if (options.receive_buffer > 0) {
    ::setsockopt(descriptor_, SOL_SOCKET, SO_RCVBUF, &options.receive_buffer, sizeof(int));
  }
  // The port is chosen when it connects: ports of closed connections to other servers are free.
  const int at_connect = 1;
  ::setsockopt(descriptor_, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &at_connect, sizeof(int));
  const auto own = raw_client::address_of(options.from, 0);
  CHECK(::bind(descriptor_, reinterpret_cast<const sockaddr*>(&own), sizeof(own)) == 0);
  const auto server = raw_client::address_of("127.0.0.1", port);
  connected_ =
      ::connect(descriptor_, reinterpret_cast<const sockaddr*>(&server), sizeof(server)) == 0;
  if (connected_ && options.tls) handshake(options);
}

RawClient::~RawClient() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void RawClient::handshake(const Options& options) {
  // OpenSSL may write to a disconnected peer.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  tls_ = std::make_unique<Tls>();
  tls_->context = SSL_CTX_new(TLS_client_method());
  if (options.max_tls_version != 0) {
    SSL_CTX_set_security_level(tls_->context, 0);  // required to offer old versions
    SSL_CTX_set_min_proto_version(tls_->context, 0);
    SSL_CTX_set_max_proto_version(tls_->context, options.max_tls_version);
  }
  if (options.client != nullptr) raw_client::show_certificate(tls_->context, *options.client);
  tls_->session = SSL_new(tls_->context);
  if (!options.protocol.empty()) {
    const std::string wire = static_cast<char>(options.protocol.size()) + options.protocol;
    SSL_set_alpn_protos(tls_->session, reinterpret_cast<const unsigned char*>(wire.data()),
                        static_cast<unsigned>(wire.size()));
  }
  SSL_set_fd(tls_->session, descriptor_);
  const timeval patience{kTestTimeout.count(), 0};
  ::setsockopt(descriptor_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
  ::setsockopt(descriptor_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
  connected_ = SSL_connect(tls_->session) == 1;
}

std::string_view RawClient::protocol() const {
  const unsigned char* name = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(tls_->session, &name, &size);
  return {reinterpret_cast<const char*>(name), size};
}

std::string RawClient::server_certificate_der() const {
  unsigned char* der = nullptr;
  const int size = i2d_X509(SSL_get0_peer_certificate(tls_->session), &der);
  std::string text(reinterpret_cast<char*>(der), static_cast<size_t>(size));
  OPENSSL_free(der);
  return text;
}

std::vector<std::string> RawClient::named_authorities() const {
  std::vector<std::string> names;
  const STACK_OF(X509_NAME)* list = SSL_get0_peer_CA_list(tls_->session);
  for (int i = 0; i < sk_X509_NAME_num(list); ++i) {
    char* name = X509_NAME_oneline(sk_X509_NAME_value(list, i), nullptr, 0);
    names.emplace_back(name);
    OPENSSL_free(name);
  }
  return names;
}

bool RawClient::wait_for(short events) {
  pollfd wanted{descriptor_, events, 0};
  const auto patience = std::chrono::milliseconds(kTestTimeout).count();
  if (::poll(&wanted, 1, static_cast<int>(patience)) > 0) return true;
  ADD_FAILURE() << "the peer was silent for too long";
  return false;
}

bool RawClient::send(std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t sent = 0;
    if (tls_) {
      sent = SSL_write(tls_->session, bytes.data(), static_cast<int>(bytes.size()));
    } else {
      if (!wait_for(POLLOUT)) return false;
      sent = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    }
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

size_t RawClient::send_some(std::string_view bytes) {
  const ssize_t sent = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  return sent < 0 ? 0 : static_cast<size_t>(sent);
}

std::string RawClient::receive_tls() {
  std::array<char, 16 * 1024> buffer;
  const int size = SSL_read(tls_->session, buffer.data(), buffer.size());
  if (size > 0) return {buffer.data(), static_cast<size_t>(size)};
  if (SSL_get_error(tls_->session, size) == SSL_ERROR_WANT_READ) {
    ADD_FAILURE() << "the peer was silent for too long";
  }
  return {};
}

std::string RawClient::receive() {
  if (!received_.empty()) return std::exchange(received_, {});
  if (tls_) return receive_tls();
  if (!wait_for(POLLIN)) return {};
  std::array<char, 64 * 1024> buffer;
  const ssize_t size = ::recv(descriptor_, buffer.data(), buffer.size(), 0);
  return size > 0 ? std::string(buffer.data(), static_cast<size_t>(size)) : std::string();
}

std::string RawClient::receive_until(std::string_view end) {
  std::string text;
  while (true) {
    const std::string more = receive();
    text += more;
    const size_t found = text.find(end);
    if (found == std::string::npos && !more.empty()) continue;
    if (found != std::string::npos) {
      received_ = text.substr(found + end.size());
      text.resize(found + end.size());
    }
    return text;
  }
}

std::string RawClient::receive_exactly(size_t size) {
  std::string text;
  while (text.size() < size) {
    const std::string more = receive();
    if (more.empty()) return text;
    text += more;
  }
  received_ = text.substr(size);
  text.resize(size);
  return text;
}

std::string RawClient::receive_all() {
  std::string text;
  while (true) {
    const std::string more = receive();
    if (more.empty()) return text;
    text += more;
  }
}

http::Response RawClient::receive_response(bool to_head_request) {
  http::Response response;
  const std::string head = receive_until("\r\n\r\n");
  response.status = head.size() > 12 ? std::atoi(head.substr(9, 3).c_str()) : 0;
  for (const auto line : split(head, '\n')) {
    if (const auto halves = split_once(line, ':'))
      response.headers.add(halves->before, trim(halves->after));
  }
  std::string body;
  if (to_head_request || response.status < 200 || response.status == 204 ||
      response.status == 304) {
    return response;
  }
  if (response.headers.has_token("transfer-encoding", "chunked")) {
    while (true) {
      const std::string line = receive_until("\r\n");
      const size_t size = std::strtoul(line.c_str(), nullptr, 16);
      if (size == 0) break;
      body += receive_exactly(size);
      receive_exactly(2);
    }
    for (std::string line = receive_until("\r\n"); line.size() > 2; line = receive_until("\r\n")) {
      const auto halves = split_once(line, ':');
      if (halves) response.trailers.add(halves->before, trim(halves->after));
    }
  } else if (response.headers.has("content-length")) {
    body = receive_exactly(
        std::strtoul(std::string(response.headers.get("content-length")).c_str(), nullptr, 10));
  } else {
    body = receive_all();
  }
  response.body = Bytes(std::move(body));
  return response;
}

void RawClient::end() {
  if (tls_) {
    SSL_shutdown(tls_->session);
  } else {
    ::shutdown(descriptor_, SHUT_WR);
  }
}

void RawClient::cut_off() { ::shutdown(descriptor_, SHUT_RDWR); }

void RawClient::reset() {
  const linger now{1, 0};
  ::setsockopt(descriptor_, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
  ::close(std::exchange(descriptor_, -1));
}

}  // namespace proa::testkit
