#include "store/etcd/cache/stored_form.h"

#include <array>

#include "base/strings.h"
#include "json/text/scan.h"

namespace proa::store::etcd {
namespace stored_form {

constexpr std::string_view kEncrypted = "k8s:enc:";
// Begins the few values of which the reader could not tell where the revision stands: the position
// follows, or a dash where there is none, and a colon.
constexpr std::string_view kMarked = "proa:";

// Where an object's revision belongs: inside of its empty resourceVersion.
std::optional<size_t> find_stamp(std::string_view value) {
  if (!value.starts_with('{')) return std::nullopt;
  const std::string_view metadata = json::Scan::find(value, "metadata");
  if (!metadata.starts_with('{')) return std::nullopt;
  const std::string_view found = json::Scan::find(metadata, "resourceVersion");
  if (found != "\"\"") return std::nullopt;
  return static_cast<size_t>(found.data() - value.data()) + 1;
}

}  // namespace stored_form

std::string stored_value(std::string_view value, std::optional<size_t> stamp_at) {
  using namespace stored_form;
  const bool clear = !value.starts_with(kMarked) && !value.starts_with(kEncrypted);
  if (clear && find_stamp(value) == stamp_at) return std::string(value);
  const std::string position = stamp_at ? std::to_string(*stamp_at) : "-";
  return std::string(kMarked) + position + ":" + std::string(value);
}

StoredValue parse_stored_value(std::string_view stored) {
  using namespace stored_form;
  if (stored.starts_with(kMarked)) {
    const auto halves = split_once(stored.substr(kMarked.size()), ':');
    if (halves && halves->before == "-") return {halves->after, std::nullopt};
    const auto position = halves ? parse_uint(halves->before) : std::nullopt;
    if (position && *position <= halves->after.size())
      return {halves->after, static_cast<size_t>(*position)};
  }
  return {stored, find_stamp(stored)};
}

DiskValue disk_value(std::string_view stored) {
  return {.bytes = stored, .transformed = stored.starts_with(stored_form::kEncrypted)};
}

Result<std::string> StoredForm::key_in_etcd(std::string_view key) const {
  if (!key.starts_with(root_ + "/")) {
    return Status(Reason::kBadRequest,
                  "a key must begin with \"" + root_ + "/\": " + std::string(key));
  }
  return prefix_ + std::string(key.substr(root_.size()));
}

std::optional<std::string> StoredForm::key_of(std::string_view in_etcd) const {
  if (!in_etcd.starts_with(prefix_)) return std::nullopt;
  const std::string_view rest = in_etcd.substr(prefix_.size());
  if (!rest.starts_with('/')) return std::nullopt;
  return root_ + std::string(rest);
}

Result<std::string> StoredForm::value_in_etcd(const Put& put) const {
  std::string plain = stored_value(put.value.view(), put.stamp_at);
  const auto form = transformer();
  if (form == nullptr) return plain;
  std::string transformed;
  const bool changed = TRY(form->to_disk(put.key, plain, transformed));
  return changed ? transformed : plain;
}

Result<EntryPtr> StoredForm::entry_of(std::string key, const WatchEvent& event,
                                      uint32_t index) const {
  Entry::Facts facts{.mod_revision = {event.kv.mod_revision}, .index = index};
  facts.deleted = event.deleted;
  if (event.deleted) return Entry::make(key, std::string_view(), facts);
  facts.create_revision = {event.kv.create_revision};
  facts.version = event.kv.version;
  const DiskValue stored = disk_value(event.kv.value);
  std::optional<std::string> plain;
  if (const auto form = transformer(); form != nullptr) {
    auto read = form->from_disk(key, stored);
    if (!read.ok()) {
      return Status(read.status().reason(),
                    "unable to transform key \"" + key + "\": " + read.status().message());
    }
    plain = std::move(*read);
  } else if (stored.transformed) {
    return Status(Reason::kForbidden,
                  "unable to transform key \"" + key +
                      "\": it is encrypted: pass the --encryption-provider-config that it was "
                      "written with");
  }
  const StoredValue value = parse_stored_value(plain ? std::string_view(*plain) : stored.bytes);
  if (!value.stamp_at) return Entry::make(key, value.value, facts);
  const std::string stamp = std::to_string(facts.mod_revision.value);
  const std::array<std::string_view, 3> parts = {value.value.substr(0, *value.stamp_at), stamp,
                                                 value.value.substr(*value.stamp_at)};
  return Entry::make(key, parts, facts);
}

}  // namespace proa::store::etcd
