#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "apiserver/access/authz/authorizer.h"
#include "apiserver/access/webhook/webhook_client.h"
#include "apiserver/front/audit/backends/lane.h"
#include "apiserver/front/audit/options.h"
#include "base/clock.h"
#include "base/random.h"
#include "http/server/exchange.h"

namespace proa::apiserver::audit {

class Record;

enum class RequestKind : uint8_t {
  kOrdinary,
  kLongRunning,      // watches and streams: their response has two events
  kUnauthenticated,  // refused: its only event is that of the response's start
};

// Decides by the policy how requests are audited, and passes their events to the backends. Records
// share it, and may outlive the server; after stop() their events are lost. Thread-safe.
class Auditor : public std::enable_shared_from_this<Auditor> {
 public:
  // All references outlive the last call before stop(). `webhooks` may be null if there is no
  // webhook. Fails if the log cannot be opened.
  static Result<std::shared_ptr<Auditor>> make(Options options, Clock& clock, Random& random,
                                               const WebhookContext* webhooks);
  ~Auditor();

  // A request has arrived. `attributes.user` is `user`, or null. Its response is observed by the
  // record.
  std::shared_ptr<Record> begin(const http::Exchange& exchange, const Attributes& attributes,
                                UserPtr user, RequestKind kind);
  // The same for a request of a component in this process. Null: its level is None.
  std::shared_ptr<Record> begin(const Attributes& attributes, UserPtr user, std::string uri,
                                std::string_view agent, RequestKind kind);

  // Emits the event of stage RequestReceived. True: the request goes on at once. False: `proceed`
  // is called later, from any thread, with whether the request may go on.
  bool receive(const std::shared_ptr<Record>& record, std::function<void(bool)> proceed);
  // The same for a request that never waits: its event may be dropped.
  void receive_now(const Record& record);

  // Writes what is queued, for a limited time.
  void stop();
  const AuditMetrics& metrics() const { return metrics_; }

 private:
  friend class Record;
  Auditor(Policy policy, Clock& clock, Random& random)
      : policy_(std::move(policy)), clock_(clock), ids_(random.next()) {}

  Time now() const { return clock_.now(); }
  bool stopped() const { return stopped_.load(std::memory_order_acquire); }
  void emit(const EventPtr& event);
  void count(Level level) { metrics_.requests[static_cast<size_t>(level)].add(); }

  const Policy policy_;
  Clock& clock_;
  // IDs are no secrets, and a system call for each would cost as much as the rest of its audit.
  SeededRandom ids_;
  AuditMetrics metrics_;
  std::atomic<bool> stopped_ = false;
  std::vector<std::unique_ptr<Lane>> lanes_;  // in upstream's order: log, webhook
};

// 500, as upstream answers if an event could not be stored.
http::Response not_stored_response(std::string_view uri);

}  // namespace proa::apiserver::audit
