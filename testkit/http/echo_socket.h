#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "http/net/socket.h"
#include "http/server/exchange.h"

namespace proa::testkit {

// The other end of an upgraded connection: sends back what it gets, in angle brackets.
class EchoSocket final : public http::Socket::Events {
 public:
  // Switches to the protocol that was asked for.
  static void serve(const http::ExchangePtr& exchange) {
    exchange->upgrade({{"upgrade", std::string(exchange->request().headers.get("upgrade"))}},
                      [](std::unique_ptr<http::Socket> socket, const std::string& early) {
                        auto* made = new EchoSocket(std::move(socket));  // owns itself
                        if (!early.empty()) made->on_data(early);
                        made->socket_->set_events(*made);
                      });
  }
  void on_data(std::string_view bytes) override {
    socket_->write(Bytes("<" + std::string(bytes) + ">"));
    socket_->flush();
  }
  void on_end() override { delete this; }
  void on_closed(const Status&) override { delete this; }

 private:
  explicit EchoSocket(std::unique_ptr<http::Socket> socket) : socket_(std::move(socket)) {}
  std::unique_ptr<http::Socket> socket_;
};

}  // namespace proa::testkit
