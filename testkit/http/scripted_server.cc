#include "testkit/http/scripted_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

#include "base/check.h"

namespace proa::testkit {

ScriptedPeer::~ScriptedPeer() { ::close(descriptor_); }

bool ScriptedPeer::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

std::string ScriptedPeer::receive() {
  if (!received_.empty()) return std::exchange(received_, {});
  std::array<char, 16384> buffer;
  const ssize_t size = ::recv(descriptor_, buffer.data(), buffer.size(), 0);
  return size > 0 ? std::string(buffer.data(), static_cast<size_t>(size)) : std::string();
}

std::string ScriptedPeer::receive_until(std::string_view end) {
  std::string all;
  size_t searched = 0;
  while (true) {
    if (const size_t at = all.find(end, searched); at != std::string::npos) {
      received_ = all.substr(at + end.size());
      return all.substr(0, at + end.size());
    }
    searched = all.size() < end.size() ? 0 : all.size() - end.size();
    const std::string more = receive();
    if (more.empty()) return all;
    all += more;
  }
}

std::string ScriptedPeer::receive_exactly(size_t size) {
  std::string all;
  while (all.size() < size) {
    const std::string more = receive();
    if (more.empty()) return all;
    all += more;
  }
  received_ = all.substr(size);
  return all.substr(0, size);
}

std::string ScriptedPeer::receive_all() {
  std::string all;
  while (true) {
    const std::string more = receive();
    if (more.empty()) return all;
    all += more;
  }
}

void ScriptedPeer::shutdown() { ::shutdown(descriptor_, SHUT_RDWR); }

ScriptedServer::ScriptedServer(Script script) : script_(std::move(script)) {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  CHECK(listener_ >= 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  CHECK(::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) == 0);
  CHECK(::listen(listener_, 128) == 0);
  CHECK(::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) == 0);
  port_ = ntohs(address.sin_port);
  acceptor_ = std::jthread([this] { accept_all(); });
}

ScriptedServer::~ScriptedServer() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    for (const auto& peer : peers_) peer->shutdown();
  }
  ::shutdown(listener_, SHUT_RDWR);  // wakes the acceptor
  acceptor_.join();
  threads_.clear();
  ::close(listener_);
}

http::Origin ScriptedServer::origin() const {
  return {.tls = false, .host = "127.0.0.1", .port = port_, .unix_path = {}, .server_name = {}};
}

int ScriptedServer::accepted() const {
  MutexLock lock(mutex_);
  return static_cast<int>(peers_.size());
}

void ScriptedServer::accept_all() {
  while (true) {
    const int descriptor = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (descriptor < 0) return;
    ScriptedPeer* peer = nullptr;
    int number = 0;
    {
      MutexLock lock(mutex_);
      number = static_cast<int>(peers_.size());
      peer = peers_.emplace_back(std::make_unique<ScriptedPeer>(descriptor)).get();
      if (stopping_) peer->shutdown();
    }
    threads_.emplace_back([this, peer, number] {
      script_(*peer, number);
      peer->shutdown();
    });
  }
}

void ScriptedHttp2::run(const std::function<bool()>& done) {
  flush();
  while (!done()) {
    const std::string bytes = peer_.receive();
    if (bytes.empty() || !session.receive(bytes).ok()) return;
    flush();
  }
}

void ScriptedHttp2::flush() {
  std::string frames;
  while (session.wants_output()) {
    const size_t before = frames.size();
    session.take_output(frames, 64 * 1024);
    if (frames.size() == before) break;
  }
  peer_.send(frames);
}

}  // namespace proa::testkit
