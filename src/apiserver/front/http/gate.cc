#include "apiserver/front/http/gate.h"

#include <algorithm>

#include "apiserver/representation/status.h"

namespace proa::apiserver {
namespace gate {

// Upstream's: a fourth of the time that a request may take.
constexpr Duration kLongestWait = std::chrono::minutes(1);
Duration patience_of(const HttpRequest& request) {
  return std::min<Duration>(request.timeout() / 4, kLongestWait);
}

void name_flow(http::Exchange& exchange, const std::string& schema, const std::string& level) {
  exchange.add_to_head("x-kubernetes-pf-flowschema-uid", schema);
  exchange.add_to_head("x-kubernetes-pf-prioritylevel-uid", level);
}

}  // namespace gate

// As upstream, streams are not limited.
bool Gate::is_for(const HttpRequest& request) const {
  if (control_ == nullptr) return false;
  return !request.is_long_running() || request.verb() == api::Verb::kWatch;
}

Gate::Decision Gate::start(HttpRequest& request, const User& user, const api::Resource* resource) {
  const std::optional<Result<ListOptions>>& selecting = request.selecting();
  const Attributes attributes = request.attributes(user);
  fairness::TicketPtr ticket =
      control_->classify({.request = attributes,
                          .path = request.path(),
                          .options = selecting && *selecting ? &**selecting : nullptr,
                          .resource = resource});
  gate::name_flow(request.exchange(), ticket->schema_uid(), ticket->level_uid());
  request.set_ticket(ticket);
  return control_->start(*ticket, gate::patience_of(request));
}

http::Response Gate::refusal(const HttpRequest& request) const {
  http::Response response = too_many_requests_response();
  response.headers.set("retry-after", std::to_string(control_->retry_after(*request.ticket())));
  return response;
}

void Gate::wait(const HttpRequestPtr& request, std::shared_ptr<Waiting> waiting) {
  // Neither is kept by the exchange, which both keep.
  request->exchange().on_closed(
      [weak_ticket = std::weak_ptr(request->ticket()), weak_waiting = std::weak_ptr(waiting)] {
        const fairness::TicketPtr ticket = weak_ticket.lock();
        const std::shared_ptr<Waiting> gone = weak_waiting.lock();
        if (ticket == nullptr || gone == nullptr || !ticket->abandon()) return;
        if (!std::exchange(gone->over, true)) gone->end(std::nullopt);
      });
  const auto proceed = [this, request, waiting](bool executes) {
    if (std::exchange(waiting->over, true)) return;
    if (request->exchange().is_closed()) return waiting->end(std::nullopt);
    if (executes) return waiting->execute();
    waiting->end(refusal(*request));
  };
  const Decision decision = control_->await(*request->ticket(), [request, proceed](bool executes) {
    http::continue_later(request->exchange_ptr(), [proceed, executes] { proceed(executes); });
  });
  if (decision != Decision::kWaits) proceed(decision == Decision::kExecutes);
}

void Gate::name_flow(const HttpRequest& request, const User& user) {
  if (!is_for(request)) return;
  const fairness::FlowPtr flow = control_->flow_of(request.attributes(user));
  gate::name_flow(request.exchange(), flow->schema.uid, flow->level_uid);
}

void Gate::hold_until_sent(HttpRequest& request, Duration longest) {
  if (fairness::TicketPtr seats = take_seats(request, longest))
    request.exchange().keep(std::move(seats));
}

fairness::TicketPtr Gate::take_seats(HttpRequest& request, Duration longest) {
  if (request.ticket() != nullptr) control_->free_seats_after(*request.ticket(), longest);
  return request.take_ticket();
}

std::shared_ptr<void> Gate::count_watch(const HttpRequest& request, const User& user) {
  if (control_ == nullptr) return nullptr;
  return control_->watches().add(request.attributes(user));
}

}  // namespace proa::apiserver
