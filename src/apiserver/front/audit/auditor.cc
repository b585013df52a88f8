#include "apiserver/front/audit/auditor.h"

#include <algorithm>

#include "apiserver/front/audit/record.h"
#include "base/process/capacity.h"

namespace proa::apiserver::audit {
namespace auditor {

// As upstream's maybeTruncateUserAgent.
constexpr size_t kMaxAgentBytes = 1024;
constexpr std::string_view kCutAgent = "...TRUNCATED";
// Batches on their way to a webhook: one that does not answer takes minutes.
constexpr size_t kWebhookWriters = 8;
// What a component of this process would have as its address.
constexpr std::string_view kLoopback = "::1";

// A small part of the memory, and enough for some thousand events.
size_t queue_bytes() {
  constexpr uint64_t kLeast = 8 << 20;
  constexpr uint64_t kMost = 64 << 20;
  constexpr uint64_t kPart = 32;
  return static_cast<size_t>(
      std::clamp<uint64_t>(process_capacity().memory / kPart, kLeast, kMost));
}

std::string cut_agent(std::string_view agent) {
  if (agent.size() <= kMaxAgentBytes) return std::string(agent);
  return std::string(agent.substr(0, kMaxAgentBytes)) + std::string(kCutAgent);
}

std::shared_ptr<RequestFacts> facts_of(const Choice& choice, const Attributes& attributes,
                                       UserPtr user, Time received) {
  auto facts = std::make_shared<RequestFacts>();
  facts->level = choice.level;
  facts->omits_managed_fields = choice.omits_managed_fields;
  facts->verb = attributes.verb;
  facts->user = std::move(user);
  facts->received = received;
  if (attributes.is_resource) {
    facts->object = {.resource = std::string(attributes.resource),
                     .name_space = std::string(attributes.name_space),
                     .name = std::string(attributes.name),
                     .uid = {},
                     .group = std::string(attributes.group),
                     .version = std::string(attributes.version),
                     .resource_version = {},
                     .subresource = std::string(attributes.subresource)};
  }
  return facts;
}

// Several lanes, and one answer.
class Gate {
 public:
  Gate(size_t lanes, std::function<void(bool)> proceed)
      : waits_for_(lanes), proceed_(std::move(proceed)) {}

  void pass(bool ok) {
    if (!ok) failed_.store(true, std::memory_order_relaxed);
    if (waits_for_.fetch_sub(1, std::memory_order_acq_rel) == 1)
      proceed_(!failed_.load(std::memory_order_relaxed));
  }

 private:
  std::atomic<size_t> waits_for_;
  std::atomic<bool> failed_ = false;
  const std::function<void(bool)> proceed_;
};

}  // namespace auditor

Result<std::shared_ptr<Auditor>> Auditor::make(Options options, Clock& clock, Random& random,
                                               const WebhookContext* webhooks) {
  std::shared_ptr<Auditor> made(new Auditor(std::move(options.policy), clock, random));
  LaneOptions lane{.queue_bytes = auditor::queue_bytes()};
  if (const auto& log = options.log) {
    lane.mode = log->mode;
    lane.batch = log->batch;
    lane.truncate = log->truncate;
    lane.gather = options.gather;
    auto backend = LogBackend::make(log->file, log->format, clock);
    if (!backend) return backend.status().in("--audit-log-path");
    made->lanes_.push_back(
        std::make_unique<Lane>(std::move(*backend), lane, clock, made->metrics_));
  }
  if (const auto& webhook = options.webhook) {
    if (webhooks == nullptr) return Status(Reason::kInvalid, "webhooks are disabled");
    lane.mode = webhook->mode;
    lane.batch = webhook->batch;
    lane.truncate = webhook->truncate;
    lane.gather = Duration::zero();
    lane.writers = auditor::kWebhookWriters;
    auto backend = TRY(WebhookBackend::make(*webhooks, webhook->webhook));
    made->lanes_.push_back(std::make_unique<Lane>(std::move(backend), lane, clock, made->metrics_));
  }
  return made;
}

Auditor::~Auditor() { stop(); }

void Auditor::stop() {
  if (stopped_.exchange(true)) return;
  for (const std::unique_ptr<Lane>& lane : lanes_) lane->stop();
}

std::shared_ptr<Record> Auditor::begin(const http::Exchange& exchange, const Attributes& attributes,
                                       UserPtr user, RequestKind kind) {
  const Choice choice = policy_.evaluate(attributes);
  count(choice.level);
  const http::RequestHead& head = exchange.request();
  const std::string_view given = head.headers.get("audit-id");
  std::shared_ptr<RequestFacts> facts;
  if (choice.level == Level::kNone) {
    // Its response has an ID nevertheless.
    facts = std::make_shared<RequestFacts>();
    facts->level = Level::kNone;
  } else {
    facts = auditor::facts_of(choice, attributes, std::move(user), now());
    facts->uri = head.target;
    facts->forwarded_for = head.headers.get("x-forwarded-for");
    facts->real_ip = head.headers.get("x-real-ip");
    facts->peer = exchange.peer().address;
    facts->user_agent = auditor::cut_agent(head.headers.get("user-agent"));
  }
  facts->audit_id = given.empty() ? make_uid(ids_) : std::string(given);
  return std::make_shared<Record>(shared_from_this(), std::move(facts), choice, kind);
}

std::shared_ptr<Record> Auditor::begin(const Attributes& attributes, UserPtr user, std::string uri,
                                       std::string_view agent, RequestKind kind) {
  const Choice choice = policy_.evaluate(attributes);
  count(choice.level);
  if (choice.level == Level::kNone) return nullptr;
  std::shared_ptr<RequestFacts> facts =
      auditor::facts_of(choice, attributes, std::move(user), now());
  facts->audit_id = make_uid(ids_);
  facts->uri = std::move(uri);
  facts->peer = auditor::kLoopback;
  facts->user_agent = agent;
  return std::make_shared<Record>(shared_from_this(), std::move(facts), choice, kind);
}

bool Auditor::receive(const std::shared_ptr<Record>& record, std::function<void(bool)> proceed) {
  const bool audited = record->choice().level != Level::kNone;
  if (!audited || stopped()) return true;
  EventPtr event = record->received();  // null: omitted
  if (event != nullptr) metrics_.events.add();
  std::vector<Lane*> awaited;
  for (const std::unique_ptr<Lane>& lane : lanes_) {
    const bool waits = lane->mode() != Mode::kBatch && (event != nullptr || lane->is_full());
    if (waits) {
      awaited.push_back(lane.get());
    } else if (event != nullptr) {
      lane->push(event);
    }
  }
  if (awaited.empty()) return true;
  const auto gate = std::make_shared<auditor::Gate>(
      awaited.size(), [self = shared_from_this(), record, proceed = std::move(proceed)](bool ok) {
        if (!ok) {
          self->metrics_.rejected.add();
          record->discard();
        }
        proceed(ok);
      });
  for (Lane* lane : awaited) {
    const bool strict = lane->mode() == Mode::kBlockingStrict;
    lane->push(event, [gate, strict](bool stored) { gate->pass(stored || !strict); });
  }
  return false;
}

void Auditor::receive_now(const Record& record) {
  if (const EventPtr event = record.received()) emit(event);
}

void Auditor::emit(const EventPtr& event) {
  if (stopped()) return;
  metrics_.events.add();
  for (const std::unique_ptr<Lane>& lane : lanes_) lane->push(event);
}

http::Response not_stored_response(std::string_view uri) {
  std::string text = "Internal Server Error: \"";
  for (const char c : uri) {
    // As upstream's sanitizer: nothing that looks like markup.
    if (c == '&') {
      text += "&amp;";
    } else if (c == '<') {
      text += "&lt;";
    } else if (c == '>') {
      text += "&gt;";
    } else {
      text += c;
    }
  }
  text += "\": failed to store audit event\n";
  return {.status = 500,
          .headers = {{"content-type", "text/plain; charset=utf-8"},
                      {"x-content-type-options", "nosniff"}},
          .body = Bytes(std::move(text)),
          .trailers = {}};
}

}  // namespace proa::apiserver::audit
