#include "apiserver/front/paths/metrics.h"

#include "api/object/view.h"
#include "apiserver/front/paths/exposition.h"
#include "apiserver/objects/keys.h"
#include "apiserver/representation/status.h"
#include "apiserver/request/failures.h"
#include "base/threads/mutex.h"
#include "json/parse.h"

namespace proa::apiserver {
namespace metrics_path {

// Above this, objects are counted in the background.
constexpr size_t kFewKeys = 20'000;

constexpr MetricFamily kStoredObjects{"apiserver_storage_objects",
                                      "Stored objects by resource, when last looked at.",
                                      MetricKind::kGauge,
                                      {"resource"}};
constexpr MetricFamily kResourceObjects{
    "apiserver_resource_objects",
    "Stored objects by group and resource, when last looked at.",
    MetricKind::kGauge,
    {"group", "resource"}};
constexpr MetricFamily kStoredBytes{"apiserver_storage_size_bytes",
                                    "What the store takes on disk.",
                                    MetricKind::kGauge,
                                    {"storage_cluster_id"}};
constexpr MetricFamily kStoreState{"proa_store_state",
                                   "1 for the state of the store: ok, full (only deletes and small "
                                   "updates) or failed (no writes).",
                                   MetricKind::kGauge,
                                   {"state"}};
constexpr MetricFamily kDiskFree{"proa_store_disk_free_bytes",
                                 "What is free on the disk with the store.",
                                 MetricKind::kGauge,
                                 {}};
constexpr MetricFamily kDiskSize{
    "proa_store_disk_size_bytes", "The size of the disk with the store.", MetricKind::kGauge, {}};
constexpr MetricFamily kBuild{"kubernetes_build_info",
                              "Always 1; the labels say what this program was built from.",
                              MetricKind::kGauge,
                              {"major", "minor", "git_version", "git_commit", "git_tree_state",
                               "build_date", "go_version", "compiler", "platform"}};
// Fields of /version.
constexpr const char* kBuildFields[] = {"major",     "minor",        "gitVersion",
                                        "gitCommit", "gitTreeState", "buildDate",
                                        "goVersion", "compiler",     "platform"};

void write_store_health(const store::StoreHealth& health, MetricsText& text) {
  using State = store::StoreHealth::State;
  constexpr std::pair<State, std::string_view> kStates[] = {
      {State::kOk, "ok"}, {State::kFull, "full"}, {State::kFailed, "failed"}};
  text.begin(kStoreState);
  for (const auto& [state, name] : kStates) {
    text.add({&name, 1}, int64_t{state == health.state ? 1 : 0});
  }
  // A store in memory has no disk.
  if (health.disk.total_bytes == 0) return;
  text.begin(kDiskFree);
  text.add({}, health.disk.free_bytes);
  text.begin(kDiskSize);
  text.add({}, health.disk.total_bytes);
}

}  // namespace metrics_path

// The number of objects per resource. Outlives the handler while the pool counts.
class MetricsPath::ObjectCounts {
 public:
  ObjectCounts(const store::Store& store, const api::Schema& schema) : store_(store) {
    for (const api::Resource* resource : schema.resources()) {
      if (resource->key_prefix.empty() || resource->stored != resource) continue;
      rows_.push_back({resource, -1});
    }
  }

  void refresh() EXCLUDES(mutex_) {
    std::vector<Row> rows;
    {
      MutexLock lock(mutex_);
      if (counting_) return;
      counting_ = true;
      rows = rows_;
    }
    for (Row& row : rows) {
      const auto keys = store::KeyRange::prefix(prefix_of(*row.resource, ""));
      const Result<size_t> count = store_.count(keys, {});
      row.count = count ? static_cast<int64_t>(*count) : -1;
    }
    MutexLock lock(mutex_);
    rows_ = std::move(rows);
    counting_ = false;
  }

  void write(MetricsText& text) const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    text.begin(metrics_path::kStoredObjects);
    for (const Row& row : rows_) {
      const std::string name = qualified_resource(*row.resource);
      const std::string_view label = name;
      text.add({&label, 1}, row.count);
    }
    text.begin(metrics_path::kResourceObjects);
    for (const Row& row : rows_) {
      const std::array<std::string_view, 2> labels{row.resource->group, row.resource->name};
      text.add(labels, row.count);
    }
  }

 private:
  struct Row {
    const api::Resource* resource;
    int64_t count;  // -1: unknown
  };

  const store::Store& store_;
  mutable Mutex mutex_;
  std::vector<Row> rows_ GUARDED_BY(mutex_);
  bool counting_ GUARDED_BY(mutex_) = false;
};

MetricsPath::MetricsPath(store::Store& store, const api::Schema& schema,
                         const RequestMetrics& requests, std::string_view version_document,
                         WorkerPool& pool)
    : store_(store),
      requests_(requests),
      counts_(std::make_shared<ObjectCounts>(store, schema)),
      pool_(pool) {
  const Result<json::Document> version = json::parse(version_document);
  for (const char* field : metrics_path::kBuildFields) {
    build_.emplace_back(version ? api::View(version->root())[field].text() : std::string_view());
  }
}

MetricsPath::~MetricsPath() = default;

std::string MetricsPath::text() {
  MetricsText text;
  requests_.write(text);
  const store::StoreStats stats = store_.stats();
  if (stats.keys <= metrics_path::kFewKeys) {
    counts_->refresh();
    for (const auto& measurement : measurements_) measurement();
  } else {
    // The result is for the next scrape; upstream counts once a minute. Skipped if the pool is
    // full.
    static_cast<void>(pool_.submit([counts = counts_, measurements = measurements_] {
      counts->refresh();
      for (const auto& measurement : measurements) measurement();
    }));
  }
  counts_->write(text);
  for (const auto& collector : collectors_) collector(text);
  text.begin(metrics_path::kStoredBytes);
  const std::string_view cluster = "etcd-0";
  text.add({&cluster, 1}, stats.disk_bytes);
  metrics_path::write_store_health(store_.health(), text);
  add_process_metrics(text);
  text.begin(metrics_path::kBuild);
  const std::vector<std::string_view> build(build_.begin(), build_.end());
  text.add(build, int64_t{1});
  std::string all = text.take();
  for (const auto& more : more_) all += more();
  return all;
}

std::optional<http::Response> MetricsPath::answer(const http::RequestHead& head,
                                                  const http::Target& target) {
  if (sent_path_of(target) != "/metrics") return std::nullopt;
  // Upstream resets them; any other method reads.
  if (head.method == "DELETE") return status_response(method_not_allowed());
  return exposition(head, text());
}

}  // namespace proa::apiserver
