#include "dns/forward/resolver.h"

#include <sys/epoll.h>

#include <algorithm>

#include "base/check.h"
#include "base/log.h"
#include "dns/message/writer.h"

namespace proa::dns {
namespace resolver {

const Log kLog{"dns"};

// Clients that wait at the same time, of all zones.
constexpr size_t kMostWaiting = 4096;
// Questions under way, each with a socket.
constexpr size_t kMostFlights = 2048;
constexpr size_t kMostRefreshes = 64;
// Messages with a wrong id or question, until TCP is used: somebody tries to guess.
constexpr unsigned kMostStrangers = 16;
constexpr size_t kFewestAttempts = 3;
constexpr size_t kMostAttempts = 8;
constexpr int kMostEvents = 64;
constexpr Duration kLongestWait = std::chrono::minutes(1);

size_t most_attempts(const Flight& flight) {
  if (flight.purpose != Flight::Purpose::kClients) return 1;
  return std::clamp(2 * flight.order.size(), kFewestAttempts, kMostAttempts);
}

// With letters in random case: an answer has to repeat them.
Name with_random_case(NameView name, std::span<const uint8_t> bits) {
  std::array<char, kMostName> wire;
  const std::string_view from = name.wire();
  for (size_t i = 0; i < from.size(); ++i) {
    const char c = from[i];
    // Lengths of labels are below the letters.
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool flip = letter && ((bits[i / 8] >> (i % 8)) & 1U) != 0;
    wire[i] = flip ? static_cast<char>(c ^ 0x20) : c;
  }
  return Name(NameView::of_wire({wire.data(), from.size()}));
}

}  // namespace resolver

Resolver::Resolver(Context context)
    : context_(std::move(context)),
      seed_(context_.random.next()),
      epoll_(::epoll_create1(EPOLL_CLOEXEC)),
      scratch_(new uint8_t[kMostMessage]),
      checked_(new uint8_t[kMostMessage]) {
  CHECK(epoll_.valid());
}

Resolver::~Resolver() = default;

void Resolver::watch(int wake) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = 0;  // no flight has that id
  CHECK(::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, wake, &event) == 0);
}

std::shared_ptr<UpstreamSet> Resolver::zone_of(NameView name) const {
  for (const auto& zone : zones_) {
    if (!zone->contains(name)) continue;
    return zone->excepts(name) ? nullptr : zone;
  }
  return nullptr;
}

// As CoreDNS: the server of a zone that does not forward a name fails; that of none refuses.
Rcode Resolver::refusal_of(NameView name) const {
  const bool excepted = std::any_of(zones_.begin(), zones_.end(),
                                    [&](const auto& zone) { return zone->contains(name); });
  return excepted ? Rcode::kServerFailure : Rcode::kRefused;
}

Flight* Resolver::find(uint64_t hash, const Query& query) {
  const auto [begin, end] = by_question_.equal_range(hash);
  for (auto one = begin; one != end; ++one) {
    if (one->second->outdated) continue;
    if (have_same_answer(one->second->query, query)) return one->second;
  }
  return nullptr;
}

Flight& Resolver::begin(const Query& query, std::shared_ptr<UpstreamSet> zone,
                        Flight::Purpose purpose) {
  auto made = std::make_unique<Flight>();
  Flight& flight = *made;
  flight.id = next_id_++;
  flight.purpose = purpose;
  flight.query = query;
  flight.query.question.name.lower();
  flight.zone = std::move(zone);
  flight.tcp = flight.zone->zone().force_tcp;
  const Duration patience = purpose == Flight::Purpose::kClients       ? context_.times.total
                            : purpose == Flight::Purpose::kHealthProbe ? context_.times.probe
                                                                       : context_.times.loop_probe;
  flight.deadline = context_.clock.steady() + patience;
  if (purpose == Flight::Purpose::kClients) {
    flight.hash = hash_query(flight.query, seed_);
    by_question_.emplace(flight.hash, &flight);
    ++flight.zone->in_flight;
  }
  flights_.emplace(flight.id, std::move(made));
  return flight;
}

void Resolver::reply_rcode(const Query& query, const Forwarder::Reply& reply, Rcode rcode) {
  const size_t size = write_failure(query, rcode, {scratch_.get(), kMostMessage});
  reply({scratch_.get(), size});
}

void Resolver::ask(const Query& query, Forwarder::Reply reply) {
  const std::shared_ptr<UpstreamSet> zone = zone_of(query.question.name);
  if (zone == nullptr) return reply_rcode(query, reply, refusal_of(query.question.name));
  // It may have been answered since the client's thread looked.
  const std::span<uint8_t> out(scratch_.get(), kMostMessage);
  if (const Cache::Hit hit = context_.cache.find(query, out); hit.size != 0) {
    reply(out.first(hit.size));
    if (hit.refresh) refresh(query);
    return;
  }
  Flight* flight = find(hash_query(query, seed_), query);
  const bool full = waiting_ >= resolver::kMostWaiting ||
                    (flight == nullptr && (flights_.size() >= resolver::kMostFlights ||
                                           zone->in_flight >= zone->zone().max_concurrent));
  if (full) {
    context_.metrics.rejected.add();
    return reply_rcode(query, reply, Rcode::kRefused);
  }
  ++waiting_;
  if (flight != nullptr) {
    flight->waiters.push_back({.query = query, .reply = std::move(reply)});
    return;
  }
  flight = &begin(query, zone, Flight::Purpose::kClients);
  flight->waiters.push_back({.query = query, .reply = std::move(reply)});
  flight->order = zone->order(context_.random);
  const bool down = zone->all_down();
  if (down) context_.metrics.all_down.add();
  if (context_.cache.has_stale(query)) {
    // Nobody is made to wait for those who did not answer before.
    flight->stale_due = context_.clock.steady() + (down ? Duration(0) : context_.times.stale);
    if (down) reply_stale(*flight);
  }
  attempt(*flight);
}

void Resolver::refresh(const Query& query) {
  const std::shared_ptr<UpstreamSet> zone = zone_of(query.question.name);
  if (zone == nullptr || refreshing_ >= resolver::kMostRefreshes ||
      flights_.size() >= resolver::kMostFlights ||
      find(hash_query(query, seed_), query) != nullptr) {
    return;
  }
  context_.metrics.prefetches.add();
  Flight& flight = begin(query, zone, Flight::Purpose::kClients);
  flight.refresh = true;
  ++refreshing_;
  flight.order = zone->order(context_.random);
  attempt(flight);
}

size_t Resolver::write_query(Flight& flight) {
  std::array<uint8_t, 2 + kMostName / 8 + 1> bits;
  context_.random.fill(bits);
  Sent& sent = flight.sent;
  sent.id = read16(bits.data());
  sent.question = flight.query.question;
  if (!flight.zone->at(flight.current).folds_case) {
    sent.question.name = resolver::with_random_case(sent.question.name, std::span(bits).subspan(2));
  }
  sent.edns = flight.edns;
  sent.dnssec_ok = flight.edns && flight.query.dnssec_ok;
  sent.tcp = flight.tcp;
  Writer writer({scratch_.get(), kMostMessage}, kMostMessage);
  writer.begin_query(sent.id, sent.question, sent.edns ? kOurUdpSize : uint16_t{0}, sent.dnssec_ok);
  const size_t size = writer.finish(Rcode::kNoError);
  constexpr uint8_t kCheckingDisabled = 0x10;
  if (flight.query.checking_disabled) scratch_[3] |= kCheckingDisabled;
  return size;
}

bool Resolver::open(Flight& flight) {
  const size_t size = write_query(flight);
  const Steady now = context_.clock.steady();
  auto exchange =
      Exchange::open(flight.zone->at(flight.current).upstream, flight.tcp, {scratch_.get(), size});
  if (!exchange.ok()) {
    flight.out_of_sockets = exchange.is(Reason::kTooManyRequests);
    return false;
  }
  flight.exchange = std::move(*exchange);
  epoll_event event{};
  event.events = EPOLLIN | (flight.tcp ? static_cast<uint32_t>(EPOLLOUT) : 0U);
  event.data.u64 = flight.id;
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, flight.exchange->descriptor(), &event) != 0) {
    flight.exchange.reset();
    return false;
  }
  flight.strangers = 0;
  flight.attempt_started = now;
  flight.attempt_deadline = std::min(now + context_.times.attempt, flight.deadline);
  set_timer(flight);
  return true;
}

void Resolver::attempt(Flight& flight) {
  if (flight.order.empty()) return finish_failed(flight);
  if (flight.attempt == 0) flight.current = flight.order.front();
  if (!open(flight)) next_attempt(flight, true);
}

void Resolver::next_attempt(Flight& flight, bool failed) {
  do {
    close(flight);
    if (failed) note_failure(flight);
    ++flight.attempt;
    if (flight.attempt >= resolver::most_attempts(flight) ||
        context_.clock.steady() >= flight.deadline) {
      return finish_failed(flight);
    }
    flight.current = flight.order[flight.attempt % flight.order.size()];
    flight.tcp = flight.zone->zone().force_tcp;
    failed = true;
  } while (!open(flight));
}

void Resolver::note_failure(Flight& flight) {
  // That is no fault of the upstream, and no answer to a probe is one for the probe.
  if (std::exchange(flight.out_of_sockets, false) || flight.purpose != Flight::Purpose::kClients) {
    return;
  }
  const Steady now = context_.clock.steady();
  if (!flight.zone->failed(flight.current, now)) return;
  const UpstreamState& state = flight.zone->at(flight.current);
  probes_due_ = std::min(probes_due_, state.probe_due);
  resolver::kLog.warn("upstream resolver does not answer",
                      {{"upstream", state.upstream.str()}, {"zone", flight.zone->zone().zone}});
  if (context_.silent) context_.silent(flight.zone->zone().zone, state.upstream);
}

void Resolver::timed_out(Flight& flight, Steady now) {
  const bool again = flight.order.size() == 1 && !flight.tcp && now < flight.deadline &&
                     flight.attempt + 1 < resolver::most_attempts(flight);
  // Nobody else can be asked. On the same socket, a slow answer to the first packet counts, too.
  if (!again || !flight.exchange->send_datagram()) return next_attempt(flight, true);
  note_failure(flight);
  ++flight.attempt;
  flight.attempt_deadline = std::min(now + context_.times.attempt, flight.deadline);
  set_timer(flight);
}

void Resolver::again_by_tcp(Flight& flight) {
  if (flight.tcp) return next_attempt(flight, true);
  close(flight);
  flight.tcp = true;
  if (!open(flight)) next_attempt(flight, true);
}

void Resolver::ready(uint64_t id) {
  const auto found = flights_.find(id);
  if (found == flights_.end() || found->second->exchange == nullptr) return;
  Flight& flight = *found->second;
  while (true) {
    ByteSpan message;
    const bool was_sending = flight.exchange->sending();
    switch (flight.exchange->advance({scratch_.get(), kMostMessage}, message)) {
      case Exchange::Outcome::kFailed:
        return next_attempt(flight, true);
      case Exchange::Outcome::kMessage:
        if (!received(flight, message)) return;
        continue;
      case Exchange::Outcome::kWaiting:
        break;
    }
    if (was_sending && !flight.exchange->sending()) {
      epoll_event event{};
      event.events = EPOLLIN;
      event.data.u64 = flight.id;
      ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, flight.exchange->descriptor(), &event);
    }
    return;
  }
}

bool Resolver::received(Flight& flight, ByteSpan message) {
  CheckedAnswer checked = check_answer(message, flight.sent, {checked_.get(), kMostMessage});
  switch (checked.fault) {
    case AnswerFault::kNone:
      accept(flight, std::move(checked));
      return false;
    case AnswerFault::kNotOurs:
      if (!flight.tcp && ++flight.strangers < resolver::kMostStrangers) return true;
      again_by_tcp(flight);
      return false;
    case AnswerFault::kOtherCase:
    case AnswerFault::kTruncated:
      again_by_tcp(flight);
      return false;
    case AnswerFault::kNoEdns:
      flight.edns = false;
      close(flight);
      if (!open(flight)) next_attempt(flight, true);
      return false;
    case AnswerFault::kMalformed:
      next_attempt(flight, true);
      return false;
  }
  return false;
}

void Resolver::accept(Flight& flight, CheckedAnswer checked) {
  UpstreamState& state = flight.zone->at(flight.current);
  const Answer& answer = *checked.answer;
  context_.metrics.answered(state.upstream, answer.rcode(),
                            context_.clock.steady() - flight.attempt_started);
  if (!checked.case_kept) state.folds_case = true;
  if (flight.purpose != Flight::Purpose::kClients) return finish_probe(flight, true);
  flight.zone->succeeded(flight.current);
  if (answer.kind() != Answer::Kind::kFailure) return finish(flight, answer);
  // Another one may know, once each.
  flight.failure = answer;
  if (flight.attempt + 1 < flight.order.size()) return next_attempt(flight, false);
  finish_failed(flight);
}

void Resolver::finish(Flight& flight, const Answer& answer) {
  const uint32_t ttl = flight.outdated ? answer.ttl() : context_.cache.put(flight.query, answer);
  for (const Waiter& waiter : flight.waiters) {
    const size_t size = answer.write(waiter.query, ttl, {scratch_.get(), kMostMessage});
    waiter.reply({scratch_.get(), size});
  }
  remove(flight);
}

void Resolver::finish_failed(Flight& flight) {
  if (flight.purpose != Flight::Purpose::kClients) return finish_probe(flight, false);
  if (context_.cache.has_stale(flight.query)) reply_stale(flight);
  const Answer answer =
      flight.failure.value_or(failed_answer(flight.query.question, Rcode::kServerFailure));
  finish(flight, answer);
}

void Resolver::reply_stale(Flight& flight) {
  flight.stale_due = Steady::max();
  const std::span<uint8_t> out(scratch_.get(), kMostMessage);
  std::erase_if(flight.waiters, [&](const Waiter& waiter) {
    const Cache::Hit hit = context_.cache.find_stale(waiter.query, out);
    if (hit.size == 0) return false;
    context_.metrics.served_stale.add();
    --waiting_;
    waiter.reply(out.first(hit.size));
    return true;
  });
}

void Resolver::close(Flight& flight) {
  // Closing takes it out of the epoll set.
  flight.exchange.reset();
}

void Resolver::remove(Flight& flight) {
  close(flight);
  if (flight.timer != Steady::max()) timers_.erase({flight.timer, flight.id});
  if (flight.purpose == Flight::Purpose::kClients) {
    waiting_ -= flight.waiters.size();
    --flight.zone->in_flight;
    if (flight.refresh) --refreshing_;
    const auto [begin, end] = by_question_.equal_range(flight.hash);
    by_question_.erase(
        std::find_if(begin, end, [&](const auto& one) { return one.second == &flight; }));
  }
  flights_.erase(flight.id);
}

void Resolver::set_timer(Flight& flight) {
  const Steady due = std::min(flight.attempt_deadline, flight.stale_due);
  if (due == flight.timer) return;
  if (flight.timer != Steady::max()) timers_.erase({flight.timer, flight.id});
  flight.timer = due;
  if (due != Steady::max()) timers_.insert({due, flight.id});
}

void Resolver::run_timers() {
  const Steady now = context_.clock.steady();
  while (!timers_.empty() && timers_.begin()->first <= now) {
    Flight& flight = *flights_.at(timers_.begin()->second);
    timers_.erase(timers_.begin());
    flight.timer = Steady::max();
    if (flight.stale_due <= now) reply_stale(flight);
    if (flight.attempt_deadline <= now) {
      timed_out(flight, now);
    } else {
      set_timer(flight);
    }
  }
  if (now >= probes_due_) probe_zones(now);
}

void Resolver::run_once() {
  Steady due = probes_due_;
  if (!timers_.empty()) due = std::min(due, timers_.begin()->first);
  const Steady now = context_.clock.steady();
  // Not forever, so that a clock that jumps is noticed.
  const Duration left = std::min(std::max(due, now), now + resolver::kLongestWait) - now;
  const auto timeout = static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(left).count());
  epoll_event events[resolver::kMostEvents];
  const int count = ::epoll_wait(epoll_.get(), events, resolver::kMostEvents, timeout);
  for (int i = 0; i < count; ++i) {
    if (events[i].data.u64 != 0) ready(events[i].data.u64);
  }
  run_timers();
}

}  // namespace proa::dns
