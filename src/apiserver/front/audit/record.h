#pragma once

#include <memory>
#include <optional>
#include <string>

#include "apiserver/front/audit/auditor.h"
#include "apiserver/front/audit/events/event.h"
#include "apiserver/request/audit_notes.h"
#include "base/threads/mutex.h"

namespace proa::apiserver::audit {

// The audit of one request, from its arrival to its end, which is that of the record: it is held by
// the exchange (after an upgrade by the connection) and by all who work on the request. The events
// of the response's start and of the end are emitted by it. Thread-safe.
class Record final : public http::ResponseObserver, public AuditNotes {
 public:
  // For Auditor::begin().
  Record(std::shared_ptr<Auditor> auditor, std::shared_ptr<const RequestFacts> facts,
         const Choice& choice, RequestKind kind);
  ~Record() override;

  const Choice& choice() const { return choice_; }
  const RequestFacts& request() const { return *facts_; }

  // The event of stage RequestReceived; null: omitted.
  EventPtr received() const EXCLUDES(mutex_);
  // No further events.
  void discard() EXCLUDES(mutex_);
  void impersonates(UserPtr user, std::string constraint) EXCLUDES(mutex_);
  // The request was worked on by code that threw.
  void panicked(const Status& why) EXCLUDES(mutex_);
  // For requests without an exchange: the response, in JSON.
  void responded(int code, const Bytes& json);
  // The same for failures.
  void failed(const Status& status);
  // Whether the response's object is shown, so that it is worth making.
  bool shows_response() const;

  // AuditNotes
  void annotate(std::string_view key, std::string value) override EXCLUDES(mutex_);
  bool wants_object() const override { return choice_.level >= Level::kRequest; }
  void note_decision(bool allowed, std::string_view reason) override EXCLUDES(mutex_);
  void note_names(api::View metadata) override EXCLUDES(mutex_);
  void note_object(std::string json, Budget held) override EXCLUDES(mutex_);
  void leave_out_object() override EXCLUDES(mutex_);
  void note_patch(const Bytes& patch) override EXCLUDES(mutex_);

  // http::ResponseObserver
  void on_response(const http::Response& response) override EXCLUDES(mutex_);
  void on_head(http::ResponseHead& head) override EXCLUDES(mutex_);
  void on_part(const Bytes& bytes) override EXCLUDES(mutex_);
  void on_thrown(const Status& why) override { panicked(why); }

 private:
  // Emits the last events.
  void finish() EXCLUDES(mutex_);
  bool is_audited() const { return choice_.level != Level::kNone; }
  void keep_body(int code, std::string_view content_type, const Bytes& body) REQUIRES(mutex_);
  // Emits the event of the response's start, if there is one and it was not emitted yet.
  void start_response() EXCLUDES(mutex_);
  void emit(Stage stage, std::shared_ptr<Event> event) const;

  const std::shared_ptr<Auditor> auditor_;
  const std::shared_ptr<const RequestFacts> facts_;
  const Choice choice_;
  const RequestKind kind_;
  mutable Mutex mutex_;
  // Null at the level None. On the heap from the beginning, since the last event is this one.
  std::shared_ptr<Event> event_ GUARDED_BY(mutex_);
  // Pays for the request's object until there is a response.
  std::optional<Budget> object_memory_ GUARDED_BY(mutex_);
  bool started_ GUARDED_BY(mutex_) = false;
  bool discarded_ GUARDED_BY(mutex_) = false;
  bool panicked_ GUARDED_BY(mutex_) = false;
};

using RecordPtr = std::shared_ptr<Record>;

}  // namespace proa::apiserver::audit
