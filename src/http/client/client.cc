#include "http/client/client.h"

#include <functional>
#include <utility>

namespace proa::http {
namespace client {

Result<std::string> gather(BlockingCall& call, size_t limit, const Until& until) {
  std::string body;
  while (true) {
    const auto part = TRY(call.read(until));
    if (!part) return body;
    if (part->size() > limit - body.size()) {
      return Status(Reason::kRequestEntityTooLarge,
                    "the response is larger than " + std::to_string(limit) + " bytes");
    }
    body.append(part->view());
  }
}

}  // namespace client

Client::Client(LoopGroup& loops, Clock& clock, const ClientOptions& options)
    : loops_(loops), clock_(clock), body_limit_(options.body_limit), tunnels_(loops) {
  for (size_t i = 0; i < loops_.size(); ++i) {
    pools_.push_back(std::make_unique<Pool>(loops_.at(i), options.pool));
  }
}

Client::~Client() {
  for (size_t i = 0; i < pools_.size(); ++i) {
    loops_.at(i).run_and_wait([&] { pools_[i].reset(); });
    // Objects released by the pool are destroyed after one more iteration.
    loops_.at(i).run_and_wait([] {});
  }
}

bool Client::in_loop() const {
  for (size_t i = 0; i < pools_.size(); ++i) {
    if (loops_.at(i).in_loop()) return true;
  }
  return false;
}

size_t Client::choose(const Origin& origin) const {
  for (size_t i = 0; i < pools_.size(); ++i) {
    if (loops_.at(i).in_loop()) return i;
  }
  const size_t hash =
      std::hash<std::string>()(origin.unix_path.empty() ? origin.host : origin.unix_path);
  return (hash + static_cast<size_t>(origin.port)) % pools_.size();
}

std::shared_ptr<ClientCall> Client::start(ClientRequest request,
                                          std::shared_ptr<CallEvents> events) {
  const size_t index = choose(request.origin);
  Loop& loop = loops_.at(index);
  auto call = std::make_shared<ClientCall>(loop, std::move(request), std::move(events));
  if (const auto good = check_request(call->request()); !good.ok()) {
    loop.post([call, why = good.status()] { call->fail(why); });
  } else {
    // Posted even on the loop's own thread: the caller gets the call before its events.
    loop.post([this, index, call] {
      call->begin();
      pools_[index]->start(call);
    });
  }
  return call;
}

void Client::upgrade(Loop& loop, ClientRequest request, Duration timeout, UpgradeDone done,
                     UpgradeRefused refused) {
  Result<void> good = check_request(request);
  if (good.ok() && !request.headers.has("upgrade")) {
    good = Status(Reason::kBadRequest, "the request has no Upgrade field");
  }
  for (size_t i = 0; i < pools_.size(); ++i) {
    if (&loops_.at(i) != &loop) continue;
    return loop.post([this, i, good, timeout, request = std::move(request), done = std::move(done),
                      refused = std::move(refused)]() mutable {
      if (!good.ok()) return done(good.status());
      pools_[i]->upgrade(std::move(request), timeout, std::move(done), std::move(refused));
    });
  }
  CHECK(false && "the loop is not one of this client's");
}

std::unique_ptr<BlockingCall> Client::open(ClientRequest request) {
  CHECK(!in_loop());
  auto state = BlockingCall::make_state(clock_);
  auto call = start(std::move(request), BlockingCall::events(state));
  return std::make_unique<BlockingCall>(std::move(state), std::move(call));
}

Result<Response> Client::send(const ClientRequest& request, const Until& until) {
  CHECK(!request.streams_body);
  return gather(*open(request), until);
}

Result<Response> Client::gather(BlockingCall& call, const Until& until) const {
  ResponseHead head = TRY(call.head(until));
  std::string body = TRY(client::gather(call, body_limit_, until));
  Response response;
  response.status = head.status;
  response.headers = std::move(head.headers);
  response.body = Bytes(std::move(body));
  response.trailers = call.trailers();
  return response;
}

void Client::set_tls(const ClientTls& tls) {
  for (size_t i = 0; i < pools_.size(); ++i) {
    loops_.at(i).post([this, i, tls] { pools_[i]->set_tls(tls); });
  }
}

size_t Client::connections() {
  size_t count = 0;
  for (size_t i = 0; i < pools_.size(); ++i) {
    loops_.at(i).run_and_wait([&] { count += pools_[i]->connections(); });
  }
  return count;
}

}  // namespace proa::http
