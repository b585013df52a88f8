#include "sim/faults.h"

#include <deque>

#include "base/log.h"
#include "json/print.h"

namespace proa::sim {
namespace faults {

const Log kLog{"sim"};

Status lost() { return {Reason::kServiceUnavailable, "the connection was lost"}; }

}  // namespace faults

class FaultyWatch final : public client::Watch {
 public:
  FaultyWatch(std::unique_ptr<client::Watch> watch, Faults& faults)
      : watch_(std::move(watch)), faults_(faults) {}

  Result<std::vector<client::Event>> next(const Until& until) override {
    if (faults_.crashed_ || faults_.happens(faults_.rates_.watch_broken)) return faults::lost();
    if (faults_.happens(faults_.rates_.watch_expired)) {
      return Status(Reason::kExpired, "too old resource version");
    }
    for (client::Event& event : TRY(watch_->next(until))) held_.push_back(std::move(event));
    const bool late = faults_.rates_.late_events;
    const size_t count = late ? faults_.random_.below(held_.size() + 1) : held_.size();
    std::vector<client::Event> events;
    for (size_t i = 0; i < count; ++i) {
      events.push_back(std::move(held_.front()));
      held_.pop_front();
    }
    // Delayed events are delivered later, without a new event.
    if (wake_ && !held_.empty()) wake_();
    return events;
  }

  bool on_ready(std::function<void()> wake) override {
    wake_ = wake;
    return watch_->on_ready(std::move(wake));
  }

 private:
  const std::unique_ptr<client::Watch> watch_;
  Faults& faults_;
  std::deque<client::Event> held_;
  std::function<void()> wake_;
};

class FaultyClient final : public client::Client {
 public:
  FaultyClient(std::unique_ptr<client::Client> client, Faults& faults)
      : client_(std::move(client)), faults_(faults) {}

  Result<api::ObjectPtr> get(const client::Place& place, const Until& until) override {
    if (faults_.crashed_) return faults::lost();
    return client_->get(place, until);
  }
  Result<client::ObjectList> list(const client::Place& place, const client::ListQuery& query,
                                  const Until& until) override {
    if (faults_.crashed_) return faults::lost();
    return client_->list(place, query, until);
  }
  Result<std::unique_ptr<client::Watch>> watch(const client::Place& place,
                                               const client::WatchQuery& query,
                                               const Until& until) override {
    if (faults_.crashed_) return faults::lost();
    std::unique_ptr<client::Watch> watch = TRY(client_->watch(place, query, until));
    return std::unique_ptr<client::Watch>(std::make_unique<FaultyWatch>(std::move(watch), faults_));
  }
  Result<api::ObjectPtr> create(const client::Place& place, json::Document object,
                                const client::WriteChoices& choices, const Until& until) override {
    const std::string text = json::print(object.root());
    return write("create", place, text,
                 [&] { return client_->create(place, std::move(object), choices, until); });
  }
  Result<api::ObjectPtr> update(const client::Place& place, json::Document object,
                                const client::WriteChoices& choices, const Until& until) override {
    const std::string text = json::print(object.root());
    return write("update", place, text,
                 [&] { return client_->update(place, std::move(object), choices, until); });
  }
  Result<api::ObjectPtr> patch(const client::Place& place, api::PatchType type,
                               json::Document patch, const client::WriteChoices& choices,
                               const Until& until) override {
    const std::string text = json::print(patch.root());
    return write("patch", place, text,
                 [&] { return client_->patch(place, type, std::move(patch), choices, until); });
  }
  Result<void> remove(const client::Place& place, const client::RemoveChoices& choices,
                      const Until& until) override {
    return write("remove", place, "", [&] { return client_->remove(place, choices, until); });
  }
  Result<void> remove_collection(const client::Place& place, const client::ListQuery& query,
                                 const client::RemoveChoices& choices,
                                 const Until& until) override {
    return write("remove all", place, "",
                 [&] { return client_->remove_collection(place, query, choices, until); });
  }

 private:
  template <typename Write>
  auto write(std::string_view verb, const client::Place& place, std::string_view text,
             const Write& write) -> decltype(write()) {
    const FaultRates& rates = faults_.rates_;
    if (faults_.crashed_ || faults_.happens(rates.write_refused)) return faults::lost();
    auto answer = write();
    if (answer) ++faults_.writes_;
    if (faults_.happens(rates.crash)) faults_.crashed_ = true;
    const bool unheard = faults_.crashed_ || faults_.happens(rates.write_unanswered);
    faults::kLog.info(verb, {{"place", client::describe(place)},
                             {"outcome", answer ? "done" : answer.status().message()},
                             {"heard", !unheard},
                             {"crashed", faults_.crashed_},
                             {"object", text}});
    if (unheard) return faults::lost();
    return answer;
  }

  const std::unique_ptr<client::Client> client_;
  Faults& faults_;
};

std::unique_ptr<client::Client> Faults::around(std::unique_ptr<client::Client> client) {
  return std::make_unique<FaultyClient>(std::move(client), *this);
}

}  // namespace proa::sim
