#include "apiserver/resources/allocate/cidr_removal.h"

#include <algorithm>

#include "apiserver/objects/keys.h"
#include "apiserver/resources/allocate/service_cidr_rules.h"
#include "apiserver/resources/allocate/service_ranges.h"
#include "apiserver/resources/managed/managed.h"
#include "apiserver/resources/write/update.h"
#include "base/log.h"

namespace proa::apiserver {
namespace cidr_removal {

using api::Edit;

const Log kLog{"apiserver"};
constexpr std::string_view kGroup = "networking.k8s.io";
constexpr size_t kEventsAtOnce = 256;

const api::Resource& resource(const ApiContext& context, std::string_view name) {
  return *context.schema.find_resource(kGroup, "v1", name);
}

bool covers(const ServiceRange& other, const ServiceRange& range) {
  const IpPrefix& wide = other.range.prefix();
  const IpPrefix& narrow = range.range.prefix();
  return wide.address.is_v4() == narrow.address.is_v4() && wide.bits <= narrow.bits &&
         wide.contains(narrow.address);
}

// Whether every network of `name` is contained in one of another ServiceCIDR.
bool is_covered(const std::vector<ServiceRange>& ranges, std::string_view name) {
  return std::all_of(ranges.begin(), ranges.end(), [&](const ServiceRange& range) {
    return range.name != name ||
           std::any_of(ranges.begin(), ranges.end(), [&](const ServiceRange& other) {
             return other.name != name && covers(other, range);
           });
  });
}

// Whether a Service has an address that no other ServiceCIDR contains.
Result<bool> is_needed(const ApiContext& context, const std::vector<ServiceRange>& ranges,
                       std::string_view name) {
  if (is_covered(ranges, name)) return false;
  const std::string prefix = prefix_of(resource(context, "ipaddresses"), "");
  const store::RangeResult found =
      TRY(context.store.range({.keys = store::KeyRange::prefix(prefix)}));
  for (const store::EntryPtr& entry : found.entries) {
    const auto address = parse_ip(entry->key().substr(prefix.size()));
    const std::string_view* manager =
        object_of(entry)->metadata().label("ipaddress.kubernetes.io/managed-by");
    if (!address || manager == nullptr || *manager != "ipallocator.k8s.io") continue;
    bool here = false;
    bool elsewhere = false;
    for (const ServiceRange& range : ranges) {
      if (range.range.number_of(*address)) (range.name == name ? here : elsewhere) = true;
    }
    if (here && !elsewhere) return true;
  }
  return false;
}

Request request_for(const ApiContext& context, std::string_view name) {
  Request request;
  request.verb = api::Verb::kPatch;
  request.resource = &resource(context, "servicecidrs");
  request.name = name;
  request.user = std::make_shared<const User>(
      User{.name = "system:apiserver", .uid = {}, .groups = {"system:masters"}, .extra = {}});
  return request;
}

Result<void> change(const ApiContext& context, const Request& request,
                    const std::function<void(Edit)>& edit) {
  const Change edited = [&](const json::Document& old) -> Result<Body> {
    json::Document body = old.copy();
    edit(Edit(body));
    return Body{std::move(body)};
  };
  const WriteOptions options{
      .force = {}, .field_manager = {}, .default_manager = std::string(kServerManager)};
  const Result<Written> written =
      change_object(context, request, options, update_rules(request), edited);
  if (!written && !written.is(Reason::kNotFound)) return written.status();
  return {};
}

void drop_finalizer(Edit object) {
  if (!object["metadata"]["finalizers"].exists()) return;
  json::Value& list = object.object("metadata").existing("finalizers").value();
  for (size_t i = list.size(); i-- > 0;) {
    if (api::View(list.items()[i]).text() == kServiceCidrFinalizer) list.erase(i);
  }
}

}  // namespace cidr_removal

Result<bool> remove_unused_cidrs(const ApiContext& context) {
  const api::Resource& resource = cidr_removal::resource(context, "servicecidrs");
  const store::RangeResult found =
      TRY(context.store.range({.keys = store::KeyRange::prefix(prefix_of(resource, ""))}));
  bool waiting = false;
  for (const store::EntryPtr& entry : found.entries) {
    const api::Metadata& metadata = object_of(entry)->metadata();
    if (!metadata.being_deleted || !metadata.has_finalizers) continue;
    const auto ranges = TRY(read_service_ranges(context.store, resource));
    Request request = cidr_removal::request_for(context, metadata.name);
    if (!TRY(cidr_removal::is_needed(context, ranges, metadata.name))) {
      TRY(cidr_removal::change(context, request, cidr_removal::drop_finalizer));
      continue;
    }
    waiting = true;
    request.subresource = resource.find_subresource("status");
    const Time now = context.clock.now();
    TRY(cidr_removal::change(context, request, [now](api::Edit object) {
      set_condition(object, "Ready", "False", "Terminating",
                    "There are still IPAddresses referencing the ServiceCIDR, please remove them "
                    "or create a new ServiceCIDR",
                    now);
    }));
  }
  return waiting;
}

struct CidrRemoval::State : std::enable_shared_from_this<CidrRemoval::State> {
  State(const ApiContext& api_context, WorkerPool& worker_pool)
      : context(api_context), pool(worker_pool) {}

  const ApiContext& context;
  WorkerPool& pool;
  std::atomic<bool> scheduled{false};
  Mutex mutex;
  bool stopped GUARDED_BY(mutex) = false;
  std::unique_ptr<store::Watch> cidrs GUARDED_BY(mutex);
  std::unique_ptr<store::Watch> addresses GUARDED_BY(mutex);  // only while a deletion is pending

  void schedule() {
    if (scheduled.exchange(true)) return;
    const bool taken = pool.submit([weak = weak_from_this()] {
      if (const auto state = weak.lock()) state->run();
    });
    if (!taken) scheduled.store(false);
  }

  void run() EXCLUDES(mutex) {
    MutexLock lock(mutex);
    if (stopped) return;
    scheduled.store(false);
    // The events themselves do not matter: any change causes a full round.
    drain("servicecidrs", cidrs);
    if (addresses != nullptr) drain("ipaddresses", addresses);
    const Result<bool> waiting = remove_unused_cidrs(context);
    if (!waiting) {
      cidr_removal::kLog.warn("ServiceCIDR cleanup failed", {{"error", waiting.status()}});
      return;
    }
    if (!*waiting) {
      addresses.reset();
    } else if (addresses == nullptr) {
      drain("ipaddresses", addresses);
      // An address may have been released before the watch began.
      schedule();
    }
  }

  void drain(std::string_view name, std::unique_ptr<store::Watch>& watch) REQUIRES(mutex) {
    while (watch != nullptr) {
      const Result<store::WatchBatch> batch = watch->next(cidr_removal::kEventsAtOnce);
      if (!batch) watch.reset();
      if (batch && batch->events.empty()) return;
    }
    auto opened =
        context.store.watch({.prefix = prefix_of(cidr_removal::resource(context, name), ""),
                             .from = {},
                             .wake = [weak = weak_from_this()] {
                               if (const auto state = weak.lock()) state->schedule();
                             }});
    if (!opened) return;
    watch = std::move(*opened);
    // Arms the watch.
    if (const auto batch = watch->next(1); batch && !batch->events.empty()) schedule();
  }
};

CidrRemoval::CidrRemoval(const ApiContext& context, WorkerPool& pool)
    : state_(std::make_shared<State>(context, pool)) {
  state_->schedule();
}

CidrRemoval::~CidrRemoval() {
  MutexLock lock(state_->mutex);
  state_->stopped = true;
  state_->cidrs.reset();
  state_->addresses.reset();
}

}  // namespace proa::apiserver
