#include "api/object/object.h"

#include "api/codec/protobuf/to_protobuf.h"
#include "base/strings.h"
#include "json/parse.h"
#include "json/text/scan.h"

namespace proa::api {
namespace object {

using json::Scan;

Metadata::Owner read_owner(std::string_view text) {
  Metadata::Owner owner;
  Scan scan(text);
  while (const auto member = scan.next_member()) {
    const std::string_view value = Scan::unquoted(member->value);
    if (member->key == "apiVersion") owner.api_version = value;
    if (member->key == "kind") owner.kind = value;
    if (member->key == "name") owner.name = value;
    if (member->key == "uid") owner.uid = value;
    if (member->key == "controller") owner.controller = member->value == "true";
  }
  return owner;
}

void read_lists(const Scan::Member& member, Metadata& metadata) {
  if (member.key == "labels") {
    Scan scan(member.value);
    while (const auto label = scan.next_member()) {
      metadata.labels.emplace_back(label->key, Scan::unquoted(label->value));
    }
  } else if (member.key == "ownerReferences") {
    Scan scan(member.value);
    while (const auto owner = scan.next_item()) metadata.owners.push_back(read_owner(*owner));
  } else if (member.key == "finalizers") {
    metadata.has_finalizers = member.value.size() > 2;
  }
}

// Keeps the text and the object that looks into it.
struct Owned {
  explicit Owned(std::string json) : text(std::move(json)), object(text) {}
  const std::string text;
  const Object object;
};

template <typename T>
const T& keep_first(std::atomic<const T*>& slot, std::unique_ptr<const T> made) {
  const T* found = nullptr;
  if (slot.compare_exchange_strong(found, made.get())) return *made.release();
  return *found;
}

}  // namespace object

const std::string_view* Metadata::label(std::string_view key) const {
  for (const Pair& pair : labels) {
    if (pair.first == key) return &pair.second;
  }
  return nullptr;
}

Metadata read_metadata(std::string_view json) {
  Metadata metadata;
  json::Scan scan(json::Scan::find(json, "metadata"));
  while (const auto member = scan.next_member()) {
    const std::string_view value = json::Scan::unquoted(member->value);
    if (member->key == "name") {
      metadata.name = value;
    } else if (member->key == "namespace") {
      metadata.name_space = value;
    } else if (member->key == "uid") {
      metadata.uid = value;
    } else if (member->key == "resourceVersion") {
      metadata.resource_version = value;
    } else if (member->key == "generation") {
      metadata.generation = parse_int(member->value).value_or(0);
    } else if (member->key == "deletionTimestamp") {
      metadata.being_deleted = !value.empty();
    } else {
      object::read_lists(*member, metadata);
    }
  }
  return metadata;
}

size_t resource_version_position(std::string_view json) {
  const std::string_view metadata = json::Scan::find(json, "metadata");
  const std::string_view value = json::Scan::find(metadata, "resourceVersion");
  CHECK(value.size() >= 2);
  return static_cast<size_t>(value.data() - json.data()) + 1;
}

std::string with_resource_version(std::string_view json, std::string_view resource_version) {
  const size_t from = resource_version_position(json);
  const size_t end = json.find('"', from);
  std::string text;
  text.reserve(json.size() + resource_version.size());
  text.append(json.substr(0, from)).append(resource_version).append(json.substr(end));
  return text;
}

Object::~Object() {
  delete metadata_.load();
  delete fields_.load();
  for (Kept* kept = kept_.load(); kept != nullptr;) delete std::exchange(kept, kept->next);
}

ObjectPtr Object::make(std::string json) {
  auto owned = std::make_shared<const object::Owned>(std::move(json));
  return {owned, &owned->object};
}

const Metadata& Object::metadata() const {
  if (const Metadata* known = metadata_.load(std::memory_order_acquire)) return *known;
  return object::keep_first(metadata_, std::make_unique<const Metadata>(read_metadata(json_)));
}

const Object::FieldValues& Object::keep_field_values(
    std::unique_ptr<const FieldValues> values) const {
  return object::keep_first(fields_, std::move(values));
}

Result<json::Document> Object::document() const { return json::parse(json_); }

Result<Bytes> Object::protobuf(const Type& type) const {
  if (auto known = protobuf_.load(std::memory_order_acquire)) return Bytes(std::move(known));
  const json::Document tree = TRY(document());
  auto made = std::make_shared<const std::string>(TRY(to_protobuf(tree.root(), type)));
  protobuf_.store(made, std::memory_order_release);
  return Bytes(std::move(made));
}

}  // namespace proa::api
