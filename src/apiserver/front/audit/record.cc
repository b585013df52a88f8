#include "apiserver/front/audit/record.h"

#include "apiserver/representation/status.h"
#include "base/threads/guarded.h"
#include "json/print.h"

namespace proa::apiserver::audit {
namespace record {

// Objects beyond that are left out, and the event says so: a list may be larger than the queue.
constexpr size_t kMaxObjectBytes = size_t{16} << 20;
// A body that is not larger may be a Status, which tells more than its code.
constexpr size_t kMaxStatusBytes = 1024;
constexpr size_t kMaxFailureBytes = size_t{64} << 10;

bool may_be_status(const Bytes& body) {
  return body.size() <= kMaxStatusBytes && body.view().find("Status") != std::string_view::npos;
}

// Resources and discovery; other paths do not answer with objects.
bool answers_with_objects(const RequestFacts& facts) {
  return facts.object.has_value() || facts.uri.starts_with("/api");
}

std::string status_of(std::string_view status, std::string_view message, std::string_view reason) {
  std::string text = R"({"metadata":{},"status":")" + std::string(status) + R"(","message":)";
  json::print_string_to(text, message);
  if (!reason.empty()) text += R"(,"reason":")" + std::string(reason) + "\"";
  return text;
}

}  // namespace record

Record::Record(std::shared_ptr<Auditor> auditor, std::shared_ptr<const RequestFacts> facts,
               const Choice& choice, RequestKind kind)
    : auditor_(std::move(auditor)), facts_(std::move(facts)), choice_(choice), kind_(kind) {
  if (!is_audited()) return;
  event_ = std::make_shared<Event>();
  event_->request = facts_;
}

Record::~Record() {
  if (!is_audited() || auditor_->stopped()) return;
  static_cast<void>(guarded([this] { finish(); }));
}

void Record::finish() {
  // Also if its client did not wait for the refusal.
  if (kind_ == RequestKind::kUnauthenticated) {
    start_response();
    return;
  }
  {
    MutexLock lock(mutex_);
    if (discarded_) return;
    if (event_->code == 0) {
      // As upstream: the client went before there was a response.
      event_->code = 200;
      event_->status = record::status_of("Success", "Connection closed early", "");
    }
  }
  start_response();
  MutexLock lock(mutex_);
  emit(panicked_ ? Stage::kPanic : Stage::kResponseComplete, std::move(event_));
}

void Record::emit(Stage stage, std::shared_ptr<Event> event) const {
  if (!choice_.emits(stage) || auditor_->stopped()) return;
  event->stage = stage;
  event->at = auditor_->now();
  auditor_->emit(std::move(event));
}

EventPtr Record::received() const {
  if (!is_audited() || !choice_.emits(Stage::kRequestReceived)) return nullptr;
  MutexLock lock(mutex_);
  const auto event = std::make_shared<Event>(*event_);
  event->at = facts_->received;
  return event;
}

void Record::discard() {
  MutexLock lock(mutex_);
  discarded_ = true;
}

void Record::impersonates(UserPtr user, std::string constraint) {
  if (!is_audited()) return;
  MutexLock lock(mutex_);
  event_->impersonated = std::move(user);
  event_->impersonation_constraint = std::move(constraint);
}

void Record::panicked(const Status& why) {
  if (!is_audited()) return;
  MutexLock lock(mutex_);
  panicked_ = true;
  event_->code = 500;
  event_->body = {};
  event_->status =
      record::status_of("Failure", "APIServer panic'd: " + why.message(), "InternalError");
}

void Record::annotate(std::string_view key, std::string value) {
  if (!is_audited()) return;
  MutexLock lock(mutex_);
  event_->annotations.emplace(key, std::move(value));
}

void Record::note_decision(bool allowed, std::string_view reason) {
  if (!is_audited()) return;
  MutexLock lock(mutex_);
  if (!event_->access) event_->access = {.allowed = allowed, .reason = std::string(reason)};
}

void Record::note_names(api::View metadata) {
  if (!is_audited() || !metadata.exists()) return;
  MutexLock lock(mutex_);
  event_->names = {.name_space = std::string(metadata["namespace"].text()),
                   .name = std::string(metadata["name"].text()),
                   .uid = std::string(metadata["uid"].text()),
                   .resource_version = std::string(metadata["resourceVersion"].text())};
}

void Record::note_object(std::string json, Budget held) {
  if (!wants_object()) return;
  // Stored texts end with one; an event is one line.
  while (json.ends_with('\n')) json.pop_back();
  MutexLock lock(mutex_);
  event_->request_object = std::move(json);
  object_memory_.emplace(std::move(held));
}

void Record::leave_out_object() {
  if (!wants_object()) return;
  MutexLock lock(mutex_);
  event_->is_truncated = true;
}

void Record::note_patch(const Bytes& patch) {
  if (!wants_object()) return;
  MutexLock lock(mutex_);
  // A copy: bodies take from a budget as long as they are referenced, and events may wait.
  event_->patch = Bytes::copy_of(patch.view());
}

bool Record::shows_response() const {
  return choice_.level == Level::kRequestResponse && kind_ == RequestKind::kOrdinary;
}

void Record::keep_body(int code, std::string_view content_type, const Bytes& body) {
  // The work on the request has ended, and with it the right to that memory.
  object_memory_.reset();
  if (panicked_) return;
  const bool failed = code >= 400 && body.size() <= record::kMaxFailureBytes;
  const bool shown = choice_.level == Level::kRequestResponse &&
                     record::answers_with_objects(*facts_) &&
                     (kind_ == RequestKind::kOrdinary || failed);
  event_->code = code;
  event_->body = {};
  if (!shown && !failed && !record::may_be_status(body)) return;
  if (body.size() > record::kMaxObjectBytes) {
    event_->is_truncated = true;
    return;
  }
  event_->body = {.content_type = std::string(content_type),
                  .parts = {body},
                  .size = body.size(),
                  .is_object = shown};
}

void Record::on_response(const http::Response& response) {
  if (!is_audited()) return;
  MutexLock lock(mutex_);
  keep_body(response.status, response.headers.get("content-type"), response.body);
}

void Record::responded(int code, const Bytes& json) {
  if (!is_audited()) return;
  {
    MutexLock lock(mutex_);
    keep_body(code, "application/json", json);
  }
  start_response();
}

void Record::failed(const Status& status) {
  if (is_audited()) responded(status.code(), Bytes(status_json(status)));
}

void Record::on_head(http::ResponseHead& head) {
  // Of an aggregated server: there it is the same request.
  if (!head.headers.has("audit-id")) head.headers.add("audit-id", facts_->audit_id);
  if (!is_audited()) return;
  {
    MutexLock lock(mutex_);
    if (!panicked_) event_->code = head.status;
    // Parts may follow.
    if (event_->body.parts.empty() && shows_response() && record::answers_with_objects(*facts_) &&
        !event_->is_truncated) {
      event_->body.content_type = head.headers.get("content-type");
      event_->body.is_object = true;
    }
  }
  start_response();
}

void Record::on_part(const Bytes& bytes) {
  if (!is_audited() || !shows_response()) return;
  MutexLock lock(mutex_);
  if (!event_->body.is_object) return;
  event_->body.size += bytes.size();
  if (event_->body.size > record::kMaxObjectBytes) {
    event_->body = {};
    event_->is_truncated = true;
    return;
  }
  event_->body.parts.push_back(bytes);
}

void Record::start_response() {
  if (kind_ == RequestKind::kOrdinary) return;
  MutexLock lock(mutex_);
  if (std::exchange(started_, true) || discarded_) return;
  emit(Stage::kResponseStarted, std::make_shared<Event>(*event_));
}

}  // namespace proa::apiserver::audit
