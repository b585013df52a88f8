#include "http/net/linger.h"

namespace proa::http {
namespace lingering {

constexpr Duration kMoment = std::chrono::seconds(2);

// Owns itself until the peer is gone.
class Linger final : public Socket::Events, public std::enable_shared_from_this<Linger> {
 public:
  explicit Linger(std::unique_ptr<Socket> socket)
      : socket_(std::move(socket)), moment_(socket_->loop(), [this] { finish(); }) {}

  void start() {
    self_ = shared_from_this();
    moment_.start(kMoment);
    socket_->set_events(*this);
    socket_->resume();
    socket_->shutdown();
    finish_if_over();
  }

 private:
  void on_data(std::string_view) override {}
  void on_drained() override { finish_if_over(); }
  void on_end() override { finish_if_over(); }
  void on_closed(const Status&) override { finish(); }

  // The peer may have ended before; then there is no event.
  void finish_if_over() {
    if (socket_->ended() && socket_->unsent() == 0) finish();
  }

  // Destroyed from the loop, not inside of its own event.
  void finish() {
    if (self_) socket_->loop().post([self = std::move(self_)] {});
  }

  std::unique_ptr<Socket> socket_;
  Timer moment_;
  std::shared_ptr<Linger> self_;
};

}  // namespace lingering

void linger(std::unique_ptr<Socket> socket) {
  std::make_shared<lingering::Linger>(std::move(socket))->start();
}

}  // namespace proa::http
