#include "kubelet/runtime/images/image_collector.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <tuple>

#include "base/log.h"

namespace proa::kubelet {
namespace image_collectors {

const Log kLog{"kubelet"};

std::string size_text(int64_t bytes) {
  constexpr std::array<std::string_view, 4> kUnits = {"KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024) return fmt::format("{} B", bytes);
  double size = static_cast<double>(bytes) / 1024;
  size_t unit = 0;
  for (; size >= 1024 && unit + 1 < kUnits.size(); ++unit) size /= 1024;
  return fmt::format("{:.1f} {}", size, kUnits[unit]);
}

// Everything by which an image may be called.
std::vector<std::string> names_of(const cri::Image& image) {
  std::vector<std::string> names{image.id};
  names.insert(names.end(), image.tags.begin(), image.tags.end());
  names.insert(names.end(), image.digests.begin(), image.digests.end());
  return names;
}

bool any_in(const std::vector<std::string>& names, const std::set<std::string>& set) {
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& name) { return set.count(name) > 0; });
}

}  // namespace image_collectors

Result<void> ImageCollector::collect(const Until& until) {
  TRY(look(until));
  const auto filesystems = TRY(context_.runtime.image_filesystems(until));
  if (filesystems.empty()) return {};
  const DiskSpace disk = TRY(context_.disk(filesystems.front().mountpoint));
  if (disk.capacity <= 0) {
    const Status why(Reason::kInternalError, "invalid capacity 0 on image filesystem");
    context_.events.warning(context_.node(), "InvalidDiskCapacity", why.message());
    return why;
  }
  const int64_t available = std::min(disk.available, disk.capacity);
  const int64_t used_percent = 100 - available * 100 / disk.capacity;
  if (used_percent < context_.high_percent) return {};
  const int64_t wanted = disk.capacity * (100 - context_.low_percent) / 100 - available;
  image_collectors::kLog.info("image disk usage above threshold, removing unused images",
                              {{"used_percent", used_percent}, {"bytes", wanted}});
  const int64_t freed = TRY(free(wanted, until));
  if (freed >= wanted) return {};
  const Status why(
      Reason::kInternalError,
      fmt::format("Insufficient free disk space on the node's image filesystem ({}% of {} used). "
                  "Failed to free sufficient space by deleting unused images (freed {} bytes). "
                  "Investigate disk usage, as it could be used by active images, logs, volumes, or "
                  "other data.",
                  used_percent, image_collectors::size_text(disk.capacity), freed));
  context_.events.warning(context_.node(), "FreeDiskSpaceFailed", why.message());
  return why;
}

Result<void> ImageCollector::look(const Until& until) {
  const auto images = TRY(context_.runtime.images(until));
  const std::set<std::string> used = TRY(used_images(until));
  const std::set<std::string> kept(context_.kept.begin(), context_.kept.end());
  const Time now = context_.clock.now();
  std::map<std::string, Record> records;
  for (const cri::Image& image : images) {
    const auto names = image_collectors::names_of(image);
    const auto known = records_.find(image.id);
    Record record;
    record.first_seen = known == records_.end() ? now : known->second.first_seen;
    record.is_used = image_collectors::any_in(names, used);
    if (record.is_used) {
      record.last_used = now;
    } else if (known != records_.end()) {
      record.last_used = known->second.last_used;
    }
    record.size = image.size;
    record.stays = image.pinned || image_collectors::any_in(names, kept);
    records.emplace(image.id, record);
  }
  records_ = std::move(records);
  if (context_.seen) context_.seen(images);
  return {};
}

Result<std::set<std::string>> ImageCollector::used_images(const Until& until) {
  const auto containers = TRY(context_.runtime.containers({}, until));
  std::set<std::string> used;
  std::map<std::string, std::vector<std::string>> mounted;
  for (const cri::Container& container : containers) {
    used.insert({container.image_id, container.image_ref});
    std::vector<std::string>& images = mounted[container.id];
    if (const auto known = mounted_.find(container.id); known != mounted_.end()) {
      images = known->second;
    } else {
      const Result<cri::Container> asked = context_.runtime.container(container.id, until);
      if (asked.is(Reason::kNotFound)) continue;
      if (!asked.ok()) return asked.status();
      images = asked->mounted_images;
    }
    used.insert(images.begin(), images.end());
  }
  mounted_ = std::move(mounted);
  return used;
}

Result<int64_t> ImageCollector::free(int64_t bytes, const Until& until) {
  using Candidate = std::tuple<Time, Time, std::string>;
  std::vector<Candidate> candidates;
  const Time now = context_.clock.now();
  for (const auto& [id, record] : records_) {
    if (record.is_used || record.stays || now - record.first_seen < context_.min_age) continue;
    candidates.emplace_back(record.last_used, record.first_seen, id);
  }
  std::sort(candidates.begin(), candidates.end());
  int64_t freed = 0;
  std::optional<Status> failure;
  for (const Candidate& candidate : candidates) {
    if (freed >= bytes) break;
    const std::string& id = std::get<2>(candidate);
    const auto removed = context_.runtime.remove_image(id, until);
    if (!removed.ok()) {
      failure = removed.status();
      continue;
    }
    freed += records_[id].size;
    records_.erase(id);
  }
  if (failure) {
    return failure->in(
        fmt::format("wanted to free {} bytes, but freed {} bytes space with errors in image "
                    "deletion",
                    bytes, freed));
  }
  return freed;
}

}  // namespace proa::kubelet
