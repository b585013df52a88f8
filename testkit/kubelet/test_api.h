#pragma once

#include <fmt/format.h>

#include <deque>
#include <map>

#include "client/client.h"
#include "json/print.h"

namespace proa::kubelet {

// A client for single objects, each watched by name. Not thread-safe.
class TestApi final : public client::Client {
 public:
  // Sets the state of "configmaps/NAMESPACE/NAME"; empty data deletes it.
  void put(const std::string& path, const std::string& data) {
    const std::string version = std::to_string(++revision_);
    const size_t slash = path.find('/');
    const size_t last = path.rfind('/');
    const std::string name_space = path.substr(slash + 1, last - slash - 1);
    const std::string text = fmt::format(
        R"({{"metadata":{{"name":"{}","namespace":"{}","resourceVersion":"{}"}},{}}})",
        path.substr(last + 1), name_space, version, data.empty() ? R"("data":{})" : data);
    const api::ObjectPtr object = api::Object::make(text);
    client::EventType type =
        objects_.contains(path) ? client::EventType::kModified : client::EventType::kAdded;
    if (data.empty()) {
      type = client::EventType::kDeleted;
      objects_.erase(path);
    } else {
      objects_[path] = object;
    }
    if (const auto watch = watches_.find(path); watch != watches_.end()) {
      watch->second->events.push_back({type, object});
      if (watch->second->wake) watch->second->wake();
    }
  }

  Result<api::ObjectPtr> get(const client::Place& place, const Until&) override {
    ++gets;
    const auto found = objects_.find(path_of(place, place.name));
    if (found == objects_.end()) return Status(Reason::kNotFound, "server says no");
    return found->second;
  }
  Result<std::unique_ptr<client::Watch>> watch(const client::Place& place,
                                               const client::WatchQuery& query,
                                               const Until&) override {
    const std::string path =
        path_of(place, query.field_selector.substr(std::string("metadata.name=").size()));
    opened += path + " ";
    auto stream = std::make_shared<Stream>();
    if (const auto found = objects_.find(path); found != objects_.end()) {
      stream->events.push_back({client::EventType::kAdded, found->second});
    }
    stream->events.push_back(
        {client::EventType::kBookmark,
         api::Object::make(fmt::format(
             R"({{"metadata":{{"resourceVersion":"{}","annotations":{{"k8s.io/initial-events-end":"true"}}}}}})",
             revision_))});
    watches_[path] = stream;
    return std::unique_ptr<client::Watch>(new TestWatch(*this, path, stream));
  }
  Result<api::ObjectPtr> create(const client::Place& place, json::Document object,
                                const client::WriteChoices&, const Until&) override {
    created.push_back(client::describe(place) + " " + json::print(object.root()));
    if (answers.empty()) return Status(Reason::kServiceUnavailable, "not now");
    std::string answer = std::move(answers.front());
    answers.pop_front();
    return api::Object::make(std::move(answer));
  }
  Result<client::ObjectList> list(const client::Place&, const client::ListQuery&,
                                  const Until&) override {
    return refused();
  }
  Result<api::ObjectPtr> update(const client::Place&, json::Document, const client::WriteChoices&,
                                const Until&) override {
    return refused();
  }
  Result<api::ObjectPtr> patch(const client::Place&, api::PatchType, json::Document,
                               const client::WriteChoices&, const Until&) override {
    return refused();
  }
  Result<void> remove(const client::Place&, const client::RemoveChoices&, const Until&) override {
    return refused();
  }
  Result<void> remove_collection(const client::Place&, const client::ListQuery&,
                                 const client::RemoveChoices&, const Until&) override {
    return refused();
  }

  size_t watches() const { return watches_.size(); }

  int gets = 0;
  std::string opened;                // watches, in order
  std::vector<std::string> created;  // bodies of create calls
  std::deque<std::string> answers;   // their responses

 private:
  struct Stream {
    std::vector<client::Event> events = {};
    std::function<void()> wake = {};
  };
  class TestWatch final : public client::Watch {
   public:
    TestWatch(TestApi& api, std::string path, std::shared_ptr<Stream> stream)
        : api_(api), path_(std::move(path)), stream_(std::move(stream)) {}
    ~TestWatch() override { api_.watches_.erase(path_); }
    Result<std::vector<client::Event>> next(const Until&) override {
      return std::exchange(stream_->events, {});
    }
    bool on_ready(std::function<void()> wake) override {
      stream_->wake = std::move(wake);
      return true;
    }

   private:
    TestApi& api_;
    const std::string path_;
    const std::shared_ptr<Stream> stream_;
  };

  static std::string path_of(const client::Place& place, const std::string& name) {
    return fmt::format("{}/{}/{}", place.resource->name, place.name_space, name);
  }
  static Status refused() { return {Reason::kForbidden, "not in this test"}; }

  std::map<std::string, api::ObjectPtr> objects_;
  std::map<std::string, std::shared_ptr<Stream>> watches_;
  int64_t revision_ = 0;
};

}  // namespace proa::kubelet
