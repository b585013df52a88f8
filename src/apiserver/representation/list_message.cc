#include "apiserver/representation/list_message.h"

#include <algorithm>

#include "apiserver/objects/conversion.h"
#include "apiserver/objects/keys.h"
#include "json/print.h"

namespace proa::apiserver {
namespace list_message {

constexpr std::string_view kMagic("k8s\0", 4);

size_t varint_size(uint64_t value) {
  size_t size = 1;
  for (; value >= 0x80; value >>= 7) ++size;
  return size;
}

void put_varint(std::string& out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
}

size_t field_size(size_t content) { return 1 + varint_size(content) + content; }

// The header of a length-delimited field. Field numbers are below 16: one byte.
void put_head(std::string& out, int number, size_t content) {
  out.push_back(static_cast<char>(number << 3 | 2));
  put_varint(out, content);
}

void put_text(std::string& out, int number, std::string_view text) {
  put_head(out, number, text.size());
  out.append(text);
}

// The runtime.Unknown header for a message of that size.
void put_envelope(std::string& out, std::string_view api_version, std::string_view kind,
                  size_t message_size) {
  const size_t meta_size = field_size(api_version.size()) + field_size(kind.size());
  out.append(kMagic);
  put_head(out, 1, meta_size);
  put_text(out, 1, api_version);
  put_text(out, 2, kind);
  put_head(out, 2, message_size);
}

void end_envelope(std::string& out) {
  put_text(out, 3, "");
  put_text(out, 4, "");
}

// metav1.ListMeta.
std::string list_meta(const Listed& listed) {
  std::string out;
  put_text(out, 1, "");
  put_text(out, 2, std::to_string(listed.revision.value));
  put_text(out, 3, listed.continue_token);
  if (listed.remaining) {
    out.push_back(4 << 3);
    put_varint(out, static_cast<uint64_t>(*listed.remaining));
  }
  return out;
}

}  // namespace list_message

std::string envelope_of(const api::Type& type, std::string_view message) {
  std::string out;
  out.reserve(message.size() + 128);
  list_message::put_envelope(out, type.group_version, type.name, message.size());
  out.append(message);
  list_message::end_envelope(out);
  return out;
}

// Upstream repeats kind and version in each item of a custom resource only.
ListMessage::ListMessage(ResourcePtr resource, Listed listed, Encoding encoding)
    : resource_(std::move(resource)), listed_(std::move(listed)), encoding_(encoding) {
  if (resource_->custom) return;
  item_head_ = "{\"kind\":\"" + std::string(resource_->type->name) + "\",\"apiVersion\":\"" +
               std::string(resource_->group_version()) + "\",";
}

Result<std::unique_ptr<ListMessage>> ListMessage::make(ResourcePtr resource, Listed listed,
                                                       Encoding encoding) {
  const bool at_once = is_made_at_once(*resource, listed, encoding);
  std::unique_ptr<ListMessage> message(
      new ListMessage(std::move(resource), std::move(listed), encoding));
  if (at_once) TRY(message->make_items());
  return message;
}

bool ListMessage::is_made_at_once(const api::Resource& resource, const Listed& listed,
                                  Encoding encoding) {
  if (encoding == Encoding::kProtobuf) return true;
  return may_be_converted(resource) &&
         !std::ranges::all_of(listed.entries, [&](const store::EntryPtr& entry) {
           return is_served_as_stored(*entry, resource);
         });
}

Result<void> ListMessage::make_items() {
  items_.reserve(size());
  for (const api::ObjectPtr& object : TRY(served_forms(listed_.entries, *resource_))) {
    items_.push_back(encoding_ == Encoding::kProtobuf ? TRY(object->protobuf(*resource_->type))
                                                      : Bytes(object->json(), object));
  }
  return {};
}

std::string_view ListMessage::item(size_t index) const {
  return items_.empty() ? listed_.entries[index]->value() : items_[index].view();
}

bool ListMessage::next(std::string& out, size_t bytes) {
  const size_t until = bytes > out.max_size() - out.size() ? out.max_size() : out.size() + bytes;
  if (next_ == 0) begin(out);
  for (; next_ < size() && out.size() < until; ++next_) add_item(out, item(next_));
  if (next_ < size()) return true;
  end(out);
  return false;
}

std::string ListMessage::take() {
  size_t bytes = 1024;
  for (size_t i = 0; i < size(); ++i) bytes += item(i).size() + 8;
  std::string out;
  out.reserve(bytes);
  next(out, out.max_size());
  return out;
}

void ListMessage::begin(std::string& out) const {
  if (encoding_ == Encoding::kProtobuf) {
    begin_protobuf(out);
  } else {
    begin_json(out);
  }
}

void ListMessage::begin_json(std::string& out) const {
  out += "{\"kind\":\"" + std::string(resource_->list->name) + "\",\"apiVersion\":\"" +
         std::string(resource_->group_version()) + "\",\"metadata\":{\"resourceVersion\":\"" +
         std::to_string(listed_.revision.value) + "\"";
  // Upstream lists custom objects without a type that would leave it out.
  if (!listed_.continue_token.empty() || resource_->custom) {
    out += ",\"continue\":";
    json::print_string_to(out, listed_.continue_token);
  }
  if (listed_.remaining) out += ",\"remainingItemCount\":" + std::to_string(*listed_.remaining);
  out += "},\"items\":[";
}

void ListMessage::begin_protobuf(std::string& out) const {
  const std::string meta = list_message::list_meta(listed_);
  size_t bytes = list_message::field_size(meta.size());
  for (const Bytes& message : items_) bytes += list_message::field_size(message.size());
  list_message::put_envelope(out, resource_->group_version(), resource_->list->name, bytes);
  list_message::put_text(out, 1, meta);
}

void ListMessage::add_item(std::string& out, std::string_view item) const {
  if (encoding_ == Encoding::kProtobuf) return list_message::put_text(out, 2, item);
  if (next_ > 0) out += ',';
  if (!item_head_.empty() && item.starts_with(item_head_)) {
    out += '{';
    item.remove_prefix(item_head_.size());
  }
  out.append(item);
}

void ListMessage::end(std::string& out) const {
  if (encoding_ == Encoding::kProtobuf) {
    list_message::end_envelope(out);
  } else {
    out += "]}\n";
  }
}

}  // namespace proa::apiserver
