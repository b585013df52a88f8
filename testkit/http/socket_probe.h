#pragma once

#include <memory>
#include <string>

#include "http/net/loop.h"
#include "http/net/socket.h"
#include "testkit/http/inbox.h"

namespace proa::testkit {

// Uses a Socket from the test's thread; its events are read from an inbox as "established", "data
// ...", "end", "closed ...".
class SocketProbe final : private http::Socket::Events {
 public:
  explicit SocketProbe(http::Loop& loop) : loop_(loop) {}
  ~SocketProbe() override {
    loop_.run_and_wait([this] { socket_.reset(); });
  }

  void connect(const http::Endpoint& endpoint,
               std::shared_ptr<const http::TlsContext> tls = nullptr,
               const std::string& server_name = {}) {
    loop_.run_and_wait([&] {
      socket_ = http::Socket::connect(loop_, endpoint, *this, std::move(tls), server_name);
    });
  }
  void adopt(std::unique_ptr<http::Socket> socket) {
    loop_.run_and_wait([&] {
      socket_ = std::move(socket);
      socket_->set_events(*this);
    });
  }
  // Runs a task with the socket, on its loop.
  template <typename Task>
  void use(Task task) {
    loop_.run_and_wait([&] { task(*socket_); });
  }
  std::unique_ptr<http::Socket> release() {
    loop_.run_and_wait([this] { socket_->detach(); });
    return std::move(socket_);
  }
  void send(const std::string& bytes) {
    use([&](http::Socket& socket) {
      socket.write(Bytes(bytes));
      socket.flush();
    });
  }

  // The next event, or "nothing" on timeout.
  std::string next() { return inbox_.take().value_or("nothing"); }
  // Reads until `size` bytes of data have arrived.
  std::string receive(size_t size) {
    std::string all;
    while (all.size() < size) {
      const std::string event = next();
      if (!event.starts_with("data ")) return all + "|" + event;
      all += event.substr(5);
    }
    return all;
  }
  bool quiet() const { return inbox_.empty(); }

 private:
  void on_established() override { inbox_.put("established"); }
  void on_data(std::string_view bytes) override { inbox_.put("data " + std::string(bytes)); }
  void on_end() override { inbox_.put("end"); }
  void on_closed(const Status& why) override { inbox_.put("closed " + why.message()); }

  http::Loop& loop_;
  Inbox<std::string> inbox_;
  std::unique_ptr<http::Socket> socket_;
};

}  // namespace proa::testkit
