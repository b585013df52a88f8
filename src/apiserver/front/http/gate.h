#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "apiserver/front/fairness/flow_control.h"
#include "apiserver/front/http/http_request.h"
#include "http/server/exchange.h"

namespace proa::apiserver {

// Lets HTTP requests execute when priority and fairness want it. Those that wait use no thread.
class Gate {
 public:
  // Null: all requests execute at once.
  explicit Gate(std::shared_ptr<fairness::FlowControl> control) : control_(std::move(control)) {}

  // Calls run() at once, or later on the request's loop; should it throw there, the exchange is
  // aborted. Otherwise it calls refuse(response), with nullopt if the client has gone. The request
  // holds its seats until it is destroyed. `resource`: null if it is not one of this server.
  // REQUIRES: on the loop's thread; `request` is authorized.
  template <typename Run, typename Refuse>
  void pass(const HttpRequestPtr& request, const User& user, const api::Resource* resource, Run run,
            Refuse refuse) {
    if (!is_for(*request)) return run();
    switch (start(*request, user, resource)) {
      case Decision::kExecutes:
        return run();
      case Decision::kRejected:
        return refuse(std::optional(refusal(*request)));
      case Decision::kWaits:
        return wait(request,
                    std::make_shared<Either<Run, Refuse>>(std::move(run), std::move(refuse)));
    }
  }

  // Names the flow in the response to a request that needs no seat.
  void name_flow(const HttpRequest& request, const User& user);
  // Whether lists of it are long.
  bool has_many(const api::Resource& resource) {
    return control_ != nullptr && control_->has_many(resource);
  }
  // Lets the request hold its seats until its response is sent, but not for longer than that: its
  // client may read slowly. `longest` is the client's own timeout only if that ends the work, too.
  void hold_until_sent(HttpRequest& request, Duration longest);
  // The same for who knows better when it has been executed. Null: it has none.
  fairness::TicketPtr take_seats(HttpRequest& request, Duration longest);
  // Counts a watch until the last reference is dropped.
  std::shared_ptr<void> count_watch(const HttpRequest& request, const User& user);

 private:
  using Decision = fairness::FlowControl::Decision;
  // Loop thread only.
  struct Waiting {
    virtual ~Waiting() = default;
    virtual void execute() = 0;
    virtual void end(std::optional<http::Response> response) = 0;
    bool over = false;  // one of them was called
  };
  template <typename Run, typename Refuse>
  struct Either final : Waiting {
    Either(Run run_it, Refuse refuse_it) : run(std::move(run_it)), refuse(std::move(refuse_it)) {}
    void execute() override { run(); }
    void end(std::optional<http::Response> response) override { refuse(std::move(response)); }
    Run run;
    Refuse refuse;
  };

  bool is_for(const HttpRequest& request) const;
  Decision start(HttpRequest& request, const User& user, const api::Resource* resource);
  void wait(const HttpRequestPtr& request, std::shared_ptr<Waiting> waiting);
  http::Response refusal(const HttpRequest& request) const;

  const std::shared_ptr<fairness::FlowControl> control_;
};

}  // namespace proa::apiserver
