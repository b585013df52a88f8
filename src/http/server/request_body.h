#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"
#include "base/time.h"
#include "http/budgets/body_budget.h"
#include "http/net/loop.h"
#include "http/server/limits.h"

namespace proa::http {

// What the exchanges of a connection share. They may outlive the server.
struct ExchangeContext {
  std::shared_ptr<const ServerLimits> limits;
  std::shared_ptr<BodyBudget> bodies;
  std::shared_ptr<BodyBudget::Account> account;
};

// Receives the body of one request: buffers it, within the budget and at a minimum rate, or passes
// its parts on. Owned by the exchange. Loop thread only.
class RequestBody {
 public:
  using Done = std::function<void(Result<Bytes>)>;
  // Body bytes as they arrive; nullopt is the end. A truncated body has no end.
  using Part = std::function<void(std::optional<Bytes>)>;
  // The flow control of the peer.
  class Flow {
   public:
    // The peer may send that many bytes more.
    virtual void acknowledge(size_t bytes) = 0;
    // That many bytes wait for their turn, which must not stop other requests of the connection.
    virtual void set_aside(size_t bytes) = 0;
    // The body may come at full speed.
    virtual void widen() = 0;

   protected:
    ~Flow() = default;
  };

  // `context` and `flow` outlive it.
  RequestBody(Loop& loop, const ExchangeContext& context, Flow& flow);

  // The length that was announced, nullopt: unknown; and whose budget the body uses.
  struct Announced {
    std::optional<size_t> length;
    std::string payer;
  };
  // Buffers the whole body. `self`: this, with its owner.
  void read(Announced announced, const std::shared_ptr<RequestBody>& self, Done done);
  void stream(Part part);
  // That many bytes of parts were processed.
  void consumed(size_t bytes);

  // For the exchange.
  void arrived(std::string_view bytes);
  void ended();
  void closed();
  // The time by which the peer must send more; nullopt if it is not its turn.
  std::optional<Steady> due() const;
  // That time has passed: fails the reader. False if there is none to answer: end the request.
  bool late();

 private:
  void claim(const std::shared_ptr<RequestBody>& self);
  void granted(BodyBudget::SharePtr share);
  void use_share(BodyBudget::SharePtr share);
  bool is_ours_to_act() const;
  void restart_pace();
  void deliver();
  void deliver_parts();
  bool keep_share();
  void fail(const Status& why);

  Loop& loop_;
  const ExchangeContext& context_;
  Flow& flow_;
  Announced announced_;
  std::string text_;
  size_t unread_ = 0;  // bytes that are not acknowledged
  BodyBudget::SharePtr share_;
  BodyBudget::Waiting waiting_;  // for a share
  Done done_;
  Part part_;
  bool over_ = false;
  bool discards_ = false;  // it failed: the rest is dropped
  bool closed_ = false;
  Steady due_;
  size_t since_ = 0;  // bytes since due_ was set
};

}  // namespace proa::http
