#include "scheduler/explain/snapshot_client.h"

namespace proa::scheduler {
namespace snapshot_client {

constexpr int64_t kPage = 500;

// What was there, once.
class Snapshot final : public client::Watch {
 public:
  explicit Snapshot(std::vector<client::Event> events) : events_(std::move(events)) {}

  Result<std::vector<client::Event>> next(const Until& /*until*/) override {
    return std::exchange(events_, {});
  }
  bool on_ready(std::function<void()> /*wake*/) override { return true; }

 private:
  std::vector<client::Event> events_;
};

api::ObjectPtr last_bookmark(const std::string& resource_version) {
  return api::Object::make(R"({"metadata":{"resourceVersion":")" + resource_version +
                           R"(","annotations":{"k8s.io/initial-events-end":"true"}}})");
}

}  // namespace snapshot_client

Result<client::ObjectList> SnapshotClient::list_all(const client::Place& place,
                                                    const client::WatchQuery& query,
                                                    const Until& until) {
  client::ListQuery page{.label_selector = query.label_selector,
                         .field_selector = query.field_selector,
                         .resource_version = {},
                         .limit = snapshot_client::kPage,
                         .continue_token = {}};
  client::ObjectList all;
  while (true) {
    client::ObjectList part = TRY(client_.list(place, page, until));
    for (api::ObjectPtr& item : part.items) all.items.push_back(std::move(item));
    all.resource_version = std::move(part.resource_version);
    if (part.continue_token.empty()) return all;
    page.continue_token = std::move(part.continue_token);
  }
}

Result<std::unique_ptr<client::Watch>> SnapshotClient::watch(const client::Place& place,
                                                             const client::WatchQuery& query,
                                                             const Until& until) {
  Result<client::ObjectList> listed = client::ObjectList();
  // After one failure the snapshot is useless: no further requests.
  if (!failure_) listed = list_all(place, query, until);
  if (!listed) {
    failure_ = listed.status();
    listed = client::ObjectList();
  }
  std::vector<client::Event> events;
  for (api::ObjectPtr& item : listed->items) {
    events.push_back({client::EventType::kAdded, std::move(item)});
  }
  events.push_back(
      {client::EventType::kBookmark, snapshot_client::last_bookmark(listed->resource_version)});
  return std::unique_ptr<client::Watch>(
      std::make_unique<snapshot_client::Snapshot>(std::move(events)));
}

}  // namespace proa::scheduler
