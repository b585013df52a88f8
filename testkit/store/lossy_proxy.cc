#include "testkit/store/lossy_proxy.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/check.h"

namespace proa::testkit {
namespace lossy_proxy {

sockaddr_in local(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

}  // namespace lossy_proxy

LossyProxy::LossyProxy(int target) : target_(target) {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = lossy_proxy::local(0);
  socklen_t size = sizeof(address);
  CHECK(::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) == 0);
  CHECK(::listen(listener_, 64) == 0);
  CHECK(::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) == 0);
  port_ = ntohs(address.sin_port);
  CHECK(::pipe2(wake_, O_CLOEXEC) == 0);
  thread_ = std::thread([this] { run(); });
}

LossyProxy::~LossyProxy() {
  ends_ = true;
  wake();
  thread_.join();
  for (const int socket : {listener_, wake_[0], wake_[1]}) ::close(socket);
}

void LossyProxy::wake() { CHECK(::write(wake_[1], "x", 1) == 1); }

void LossyProxy::cut() {
  cuts_ = true;
  wake();
}

void LossyProxy::close_all() {
  for (const Pair& pair : pairs_) {
    ::close(pair.client);
    ::close(pair.server);
  }
  pairs_.clear();
}

void LossyProxy::accept_one() {
  Pair pair;
  pair.client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  if (pair.client < 0) return;
  pair.server = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = lossy_proxy::local(target_);
  const bool connected =
      !refuses_ &&
      ::connect(pair.server, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
  pairs_.push_back(pair);
  if (connected) return;
  ::close(pair.client);
  ::close(pair.server);
  pairs_.pop_back();
}

bool LossyProxy::forward(int from, int to, bool is_answer) {
  std::array<char, 65536> buffer;
  const ssize_t count = ::recv(from, buffer.data(), buffer.size(), 0);
  if (count <= 0) return false;
  if (!is_answer) requested_ += static_cast<size_t>(count);
  if (is_answer && loses_answers_) return true;
  for (ssize_t sent = 0; sent < count;) {
    const ssize_t some =
        ::send(to, buffer.data() + sent, static_cast<size_t>(count - sent), MSG_NOSIGNAL);
    if (some <= 0) return false;
    sent += some;
  }
  return true;
}

void LossyProxy::run() {
  while (!ends_) {
    std::vector<pollfd> polled = {{listener_, POLLIN, 0}, {wake_[0], POLLIN, 0}};
    for (const Pair& pair : pairs_) {
      polled.push_back({pair.client, POLLIN, 0});
      polled.push_back({pair.server, POLLIN, 0});
    }
    if (::poll(polled.data(), polled.size(), -1) < 0) continue;
    if (polled[1].revents != 0) {
      char byte = 0;
      CHECK(::read(wake_[0], &byte, 1) == 1);
    }
    std::vector<Pair> open;
    for (size_t i = 0; i < pairs_.size(); ++i) {
      const Pair& pair = pairs_[i];
      const bool good =
          (polled[2 + 2 * i].revents == 0 || forward(pair.client, pair.server, false)) &&
          (polled[3 + 2 * i].revents == 0 || forward(pair.server, pair.client, true));
      if (good) {
        open.push_back(pair);
      } else {
        ::close(pair.client);
        ::close(pair.server);
      }
    }
    pairs_ = std::move(open);
    if (cuts_.exchange(false)) close_all();
    if (polled[0].revents != 0) accept_one();
  }
  close_all();
}

}  // namespace proa::testkit
