#pragma once

#include <string>
#include <vector>

#include "api/object/view.h"
#include "base/threads/mutex.h"
#include "base/threads/pool.h"
#include "client/events/recorder.h"
#include "json/print.h"

namespace proa::testkit {

// A recorder whose Events a test reads, without an API server. Thread-safe.
class RecordedEvents {
 public:
  explicit RecordedEvents(Clock& clock)
      : recorder_(listener_, clock, pool_, resource_, {"kubelet", "n1"}) {}

  client::EventRecorder& recorder() { return recorder_; }
  // Events since the last call, in order: "Warning Unhealthy spec.containers{web} Liveness probe
  // failed: no". Repeated ones are "again ...: its message".
  std::vector<std::string> take() {
    recorder_.flush();
    return listener_.take();
  }

 private:
  class Listener final : public client::Client {
   public:
    std::vector<std::string> take() EXCLUDES(mutex_) {
      const MutexLock lock(mutex_);
      return std::exchange(told_, {});
    }
    Result<api::ObjectPtr> create(const client::Place&, json::Document object,
                                  const client::WriteChoices&, const Until&) override {
      const api::View root(object.root());
      std::string text(root["type"].text());
      text += " " + std::string(root["reason"].text()) + " ";
      const std::string_view part = root.at("involvedObject.fieldPath").text();
      if (!part.empty()) text += std::string(part) + " ";
      tell(text + std::string(root["message"].text()));
      return api::Object::make(json::print(object.root()));
    }
    Result<api::ObjectPtr> patch(const client::Place&, api::PatchType, json::Document patch,
                                 const client::WriteChoices&, const Until&) override {
      tell("again " + std::string(api::View(patch.root())["message"].text()));
      return api::Object::make(json::print(patch.root()));
    }
    Result<api::ObjectPtr> get(const client::Place&, const Until&) override { return none(); }
    Result<client::ObjectList> list(const client::Place&, const client::ListQuery&,
                                    const Until&) override {
      return none();
    }
    Result<std::unique_ptr<client::Watch>> watch(const client::Place&, const client::WatchQuery&,
                                                 const Until&) override {
      return none();
    }
    Result<api::ObjectPtr> update(const client::Place&, json::Document, const client::WriteChoices&,
                                  const Until&) override {
      return none();
    }
    Result<void> remove(const client::Place&, const client::RemoveChoices&, const Until&) override {
      return none();
    }
    Result<void> remove_collection(const client::Place&, const client::ListQuery&,
                                   const client::RemoveChoices&, const Until&) override {
      return none();
    }

   private:
    static Status none() { return Status(Reason::kMethodNotAllowed, "only Events are written"); }
    void tell(std::string text) EXCLUDES(mutex_) {
      const MutexLock lock(mutex_);
      told_.push_back(std::move(text));
    }

    Mutex mutex_;
    std::vector<std::string> told_ GUARDED_BY(mutex_);
  };

  Listener listener_;
  const api::Resource resource_{};
  WorkerPool pool_{{.max_threads = 0}};
  client::EventRecorder recorder_;
};

}  // namespace proa::testkit
