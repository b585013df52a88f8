#include "apiserver/representation/encode.h"

#include <algorithm>
#include <array>

#include "api/codec/json/decode.h"
#include "api/codec/protobuf/envelope.h"
#include "api/schema/builtin.h"
#include "apiserver/objects/conversion.h"
#include "apiserver/objects/keys.h"
#include "apiserver/representation/list_message.h"
#include "apiserver/representation/status.h"
#include "apiserver/representation/table/custom_columns.h"
#include "apiserver/representation/table/partial.h"
#include "json/print.h"
#include "kinds/kinds.h"

namespace proa::apiserver {
namespace encode {

using api::ObjectPtr;

Result<std::string> enveloped(const api::Object& object, const api::Type& type) {
  const Bytes message = TRY(object.protobuf(type));
  return envelope_of(type, message.view());
}

const kinds::KindRules& rules_of(const api::Resource& resource) {
  return kinds::find_rules(resource);
}

// Null for a built-in resource.
std::unique_ptr<const CustomColumns> custom_columns(const api::Resource& resource) {
  if (!resource.custom) return nullptr;
  return std::make_unique<const CustomColumns>(custom::custom_resource(resource));
}

ListHead head_of(const Listed& listed, const std::string& revision) {
  return {.resource_version = revision,
          .continue_token = listed.continue_token,
          .remaining = listed.remaining};
}

// The objects of a list in the version of the resource. Those that a webhook converts are converted
// at once, others when they are needed.
class ServedItems {
 public:
  static Result<ServedItems> make(const Listed& listed, const api::Resource& resource) {
    ServedItems items(listed, resource);
    if (may_ask_webhook(resource)) items.converted_ = TRY(served_forms(listed.entries, resource));
    return items;
  }

  Result<ObjectPtr> at(size_t index) const {
    if (!converted_.empty()) return converted_[index];
    return served_form(object_of(listed_->entries[index]), *resource_);
  }
  // Of which metadata is read: the same in all versions, unless a webhook changes it.
  std::string_view text_at(size_t index) const {
    return converted_.empty() ? listed_->entries[index]->value() : converted_[index]->json();
  }

 private:
  ServedItems(const Listed& listed, const api::Resource& resource)
      : listed_(&listed), resource_(&resource) {}

  const Listed* listed_;
  const api::Resource* resource_;
  std::vector<ObjectPtr> converted_;
};

// Caches the last encoded events per thread: watchers of a resource receive the same events one
// after the other. Large ones are shared as long as a watcher has not read them.
class RecentFrames {
 public:
  struct Key {
    const api::Object* object;
    const api::Type* type;  // identifies the version
    EventType event;
    Encoding encoding;
    bool operator==(const Key&) const = default;
  };

  std::optional<Bytes> find(const Key& key) {
    const size_t slot = slot_of(key);
    if (slots_[slot].key == key) return slots_[slot].frame;
    const LargeSlot& large = large_[slot];
    if (large.key == key && large.object.lock() != nullptr) return large.frame.lock();
    return std::nullopt;
  }

  // Keeps the object alive, so that its address is not reused; a large one is checked instead.
  void keep(const Key& key, api::ObjectPtr object, const Bytes& frame) {
    const size_t slot = slot_of(key);
    if (frame.size() <= kMaxBytes) {
      slots_[slot] = {key, std::move(object), frame};
    } else {
      large_[slot] = {key, object, WeakBytes(frame)};
    }
  }

 private:
  static constexpr size_t kSlots = 64;
  static constexpr size_t kMaxBytes = 8 * 1024;

  struct Slot {
    Key key{};
    api::ObjectPtr object;
    Bytes frame;
  };

  struct LargeSlot {
    Key key{};
    std::weak_ptr<const api::Object> object;
    WeakBytes frame;
  };

  static size_t slot_of(const Key& key) {
    // Fibonacci hashing: object addresses are regular.
    return reinterpret_cast<uintptr_t>(key.object) * 0x9e3779b97f4a7c15 >> 58;
  }

  std::array<Slot, kSlots> slots_;
  std::array<LargeSlot, kSlots> large_;
};

RecentFrames& recent_frames() {
  thread_local RecentFrames frames;
  return frames;
}

// The Go package of upstream's type, of all versions of the group: "core", "rbac".
std::string_view package_of(std::string_view group) {
  if (group.empty() || group == "events.k8s.io") return "core";
  return group.substr(0, group.find('.'));
}

std::string go_type_of(const api::Resource& resource) {
  return "*" + std::string(package_of(resource.group)) + "." + std::string(resource.type->name);
}

// The forms are for objects or for lists, not for both; tables are for both.
Status not_a_list(const api::Resource& resource) {
  return {Reason::kNotAcceptable,
          "you requested PartialObjectMetadataList, but the requested object is not a list (" +
              go_type_of(resource) + ")"};
}

Status is_a_list(const api::Resource& resource) {
  return {Reason::kNotAcceptable,
          "you requested PartialObjectMetadata, but the requested object is a list (" +
              go_type_of(resource) + "List)"};
}

// About ten milliseconds of parsing.
constexpr size_t kLongList = 1024 * 1024;

bool is_long(const Listed& listed) {
  size_t bytes = 0;
  return std::ranges::any_of(listed.entries, [&](const store::EntryPtr& entry) {
    bytes += entry->value().size();
    return bytes > kLongList;
  });
}

Status stopped() { return {Reason::kTimeout, "the client has gone"}; }

// A bookmark is an object of the watched kind with only a resourceVersion.
std::string bookmark_json(const api::Type& type, const WatchEvent& event) {
  std::string text = "{\"kind\":\"" + std::string(type.name) + "\",\"apiVersion\":\"" +
                     std::string(type.group_version) + "\",\"metadata\":{\"resourceVersion\":\"" +
                     std::to_string(event.revision.value) + "\"";
  if (event.initial_events_end) {
    text += ",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}";
  }
  return text + "}}";
}

}  // namespace encode

bool Encoder::is_slow(const api::Object& object) const {
  if (!resource->custom) return false;
  return media.form == Form::kTable || is_slow_to_serve(object, *resource);
}

bool Encoder::is_slow(const Listed& listed) const {
  const bool table = media.form == Form::kTable;
  // Metadata is found in the text.
  if (!table && media.form != Form::kObject) return false;
  const bool plain = !table && !ListMessage::is_made_at_once(*resource, listed, media.encoding);
  if (plain) return false;
  return resource->custom || encode::is_long(listed);
}

bool Encoder::is_slow(const WatchEvent& event) const {
  if (event.object == nullptr || !resource->custom) return false;
  if (media.form == Form::kTable) return true;
  return !event.served && is_slow_to_serve(*event.object, *resource);
}

Result<void> Encoder::check_object_form() const {
  if (media.form == Form::kPartialList) return encode::not_a_list(*resource);
  return {};
}

Result<void> Encoder::check_list_form() const {
  if (media.form == Form::kPartial) return encode::is_a_list(*resource);
  return {};
}

Result<Bytes> Encoder::object(const api::ObjectPtr& stored) const {
  TRY(check_object_form());
  const api::ObjectPtr object = TRY(served_form(stored, *resource));
  if (media.form == Form::kObject && media.encoding != Encoding::kProtobuf) {
    return Bytes(object->json(), object);
  }
  return Bytes(TRY(event_object(*object, true)));
}

Result<Bytes> Encoder::list(const Listed& listed, const std::stop_token& stop) const {
  TRY(check_list_form());
  if (media.form == Form::kTable) return Bytes(TRY(table_list(listed, stop)));
  if (media.form != Form::kObject) return Bytes(TRY(partial_list(listed, stop)));
  return Bytes(TRY(ListMessage::make(resource, listed, media.encoding))->take());
}

Result<Bytes> Encoder::document(std::string_view json, const api::Type& type) const {
  if (media.form == Form::kTable && type.is_kind && type.name != "Status") {
    const kinds::KindRules& rules = kinds::find_rules(type.group_version, type.name);
    return Bytes(TRY(table_of_one(rules, json, table_options(true))));
  }
  if (media.encoding != Encoding::kProtobuf) return Bytes::copy_of(json);
  const api::Decoded decoded = TRY(api::decode_json(json, type, api::FieldValidation::kIgnore));
  return Bytes(TRY(api::to_enveloped(decoded.document.root(), type)));
}

Table::Options Encoder::table_options(bool first) const {
  return {.version = media.form_version,
          .include = include,
          .column_definitions = first,
          .now = clock->now()};
}

Result<std::string> Encoder::table_list(const Listed& listed, const std::stop_token& stop) const {
  const std::string revision = std::to_string(listed.revision.value);
  const auto custom = encode::custom_columns(*resource);
  Table::Options options = table_options(true);
  options.custom = custom.get();
  Table table(encode::rules_of(*resource), options, encode::head_of(listed, revision));
  const encode::ServedItems items = TRY(encode::ServedItems::make(listed, *resource));
  for (size_t i = 0; i < listed.entries.size(); ++i) {
    if (stop.stop_requested()) return encode::stopped();
    const api::ObjectPtr item = TRY(items.at(i));
    TRY(table.add(item->json()));
  }
  return table.take();
}

Result<std::string> Encoder::partial_list(const Listed& listed, const std::stop_token& stop) const {
  const std::string revision = std::to_string(listed.revision.value);
  const ListHead head = encode::head_of(listed, revision);
  const encode::ServedItems items = TRY(encode::ServedItems::make(listed, *resource));
  if (media.encoding == Encoding::kProtobuf) {
    PartialListProtobuf list(head, media.form_version, api::builtin_schema());
    for (size_t i = 0; i < listed.entries.size(); ++i) {
      if (stop.stop_requested()) return encode::stopped();
      TRY(list.add(items.text_at(i)));
    }
    return list.take();
  }
  PartialListJson list(head, media.form_version);
  for (size_t i = 0; i < listed.entries.size(); ++i) {
    if (stop.stop_requested()) return encode::stopped();
    list.add(items.text_at(i));
  }
  return list.take();
}

// An object in the requested form; not framed.
Result<std::string> Encoder::event_object(const api::Object& object, bool first) const {
  const bool protobuf = media.encoding == Encoding::kProtobuf;
  if (media.form == Form::kTable) {
    const auto custom = encode::custom_columns(*resource);
    Table::Options options = table_options(first);
    options.custom = custom.get();
    return table_of_one(encode::rules_of(*resource), object.json(), options);
  }
  if (media.form != Form::kObject) {
    if (protobuf) return partial_protobuf(object.json(), media.form_version, api::builtin_schema());
    return partial_json(object.json(), media.form_version);
  }
  if (protobuf) return encode::enveloped(object, *resource->type);
  return std::string(object.json());
}

Bytes Encoder::frame(std::string_view type, std::string_view object) const {
  if (media.encoding == Encoding::kProtobuf) {
    return Bytes(api::make_watch_frame({.type = type, .object = object}));
  }
  std::string text;
  text.reserve(object.size() + 32);
  text.append("{\"type\":\"").append(type).append("\",\"object\":").append(object).append("}\n");
  return Bytes(std::move(text));
}

Result<Bytes> Encoder::event(const WatchEvent& event, bool first) const {
  if (event.object == nullptr) return bookmark(event);
  // What was converted still looks old.
  const api::ObjectPtr object =
      event.served ? event.object : TRY(served_form(event.object, *resource));
  const std::string_view type = event_type_name(event.type);
  if (media.form != Form::kObject) return frame(type, TRY(event_object(*object, first)));
  const auto make = [&]() -> Result<Bytes> {
    if (media.encoding != Encoding::kProtobuf) return frame(type, object->json());
    return frame(type, TRY(event_object(*object, first)));
  };
  // Nobody else has what was converted just now.
  if (object != event.object) return make();
  const encode::RecentFrames::Key key{object.get(), resource->type, event.type, media.encoding};
  encode::RecentFrames& recent = encode::recent_frames();
  if (std::optional<Bytes> same = recent.find(key)) return std::move(*same);
  const Bytes made = TRY(make());
  recent.keep(key, object, made);
  return made;
}

Result<Bytes> Encoder::bookmark(const WatchEvent& event) const {
  const api::Decoded decoded =
      TRY(api::decode_json(encode::bookmark_json(*resource->type, event), *resource->type,
                           api::FieldValidation::kIgnore));
  const api::ObjectPtr object = api::Object::make(json::print(decoded.document.root()));
  return frame(event_type_name(event.type), TRY(event_object(*object, false)));
}

Bytes Encoder::error_event(const Status& status) const {
  const std::string text = status_json(status);
  if (media.encoding != Encoding::kProtobuf) {
    return frame("ERROR", std::string_view(text).substr(0, text.size() - 1));
  }
  return frame("ERROR", status_protobuf(text));
}

}  // namespace proa::apiserver
