#include "http/net/splice.h"

#include "base/check.h"

namespace proa::http {
namespace splicing {

// Buffered bytes for one side before the other is paused.
constexpr size_t kHighWater = 256 * 1024;

// Owns itself until both directions are over.
class Splice : public std::enable_shared_from_this<Splice> {
 public:
  Splice(std::unique_ptr<Socket> a, std::unique_ptr<Socket> b, std::function<void()> done)
      : a_(*this, std::move(a)), b_(*this, std::move(b)), done_(std::move(done)) {
    a_.other = &b_;
    b_.other = &a_;
  }

  void start(std::string_view from_a, std::string_view from_b) {
    self_ = shared_from_this();
    pass_on(b_, from_a);
    pass_on(a_, from_b);
    for (Side* side : {&a_, &b_}) {
      // Sockets of an upgrade are paused, and the peer may have ended after its early bytes.
      const bool ended = side->socket->end_delivered();
      side->socket->set_events(*side);
      side->socket->resume();
      if (ended) side->on_end();
    }
  }

  void finish() {
    if (!self_) return;
    const auto self = std::move(self_);
    if (done_) std::exchange(done_, nullptr)();
    // Destroyed from the loop, not inside of their own events.
    a_.socket->loop().post([self] {});
  }

 private:
  struct Side final : Socket::Events {
    Side(Splice& owner, std::unique_ptr<Socket> owned) : splice(owner), socket(std::move(owned)) {}

    void on_data(std::string_view bytes) override {
      splice.pass_on(*other, bytes);
      if (other->socket->unsent() > kHighWater) socket->pause();
    }
    void on_drained() override {
      other->socket->resume();
      splice.finish_if_over();
    }
    void on_end() override {
      ended = true;
      other->socket->shutdown();
      splice.finish_if_over();
    }
    void on_closed(const Status&) override { splice.finish(); }

    Splice& splice;
    std::unique_ptr<Socket> socket;
    Side* other = nullptr;
    bool ended = false;
  };

  void pass_on(Side& to, std::string_view bytes) {
    if (bytes.empty()) return;
    to.socket->write(Bytes::copy_of(bytes));
    to.socket->flush();
  }

  // Both directions have ended, and everything was sent.
  void finish_if_over() {
    if (!a_.ended || !b_.ended) return;
    if (a_.socket->unsent() == 0 && b_.socket->unsent() == 0) finish();
  }

  Side a_;
  Side b_;
  std::function<void()> done_;
  std::shared_ptr<Splice> self_;
};

}  // namespace splicing

std::function<void()> splice(std::unique_ptr<Socket> a, std::string_view from_a,
                             std::unique_ptr<Socket> b, std::string_view from_b,
                             std::function<void()> done) {
  CHECK(&a->loop() == &b->loop());
  const auto made = std::make_shared<splicing::Splice>(std::move(a), std::move(b), std::move(done));
  made->start(from_a, from_b);
  return [weak = std::weak_ptr(made)] {
    if (const auto live = weak.lock()) live->finish();
  };
}

}  // namespace proa::http
