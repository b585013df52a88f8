#include "apiserver/answer/list_message.h"

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

// The head of a field whose content follows. Field numbers here are below 16: one byte each.
void put_head(std::string& out, int number, size_t content) {
  out.push_back(static_cast<char>(number << 3 | 2));
  put_varint(out, content);
}

void put_text(std::string& out, int number, std::string_view text) {
  put_head(out, number, text.size());
  out.append(text);
}

// Everything of runtime.Unknown around a message of that size.
void put_envelope(std::string& out, std::string_view api_version, std::string_view kind,
                  size_t message_size) {
  const size_t meta_size = field_size(api_version.size()) + field_size(kind.size());
  out.reserve(out.size() + kMagic.size() + field_size(meta_size) + field_size(message_size) + 4);
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
  list_message::put_envelope(out, type.group_version, type.name, message.size());
  out.append(message);
  list_message::end_envelope(out);
  return out;
}

ListMessage::ListMessage(const api::Resource& resource, const Listed& listed, Encoding encoding)
    : resource_(resource), listed_(listed), encoding_(encoding) {
  if (encoding == Encoding::kProtobuf) {
    messages_.reserve(listed.entries.size());
  } else {
    begin_json();
  }
}

void ListMessage::begin_json() {
  item_head_ = "{\"kind\":\"" + std::string(resource_.type->name) + "\",\"apiVersion\":\"" +
               std::string(resource_.group_version()) + "\",";
  size_t size = 512;
  for (const store::EntryPtr& entry : listed_.entries) size += entry->value().size() + 1;
  text_.reserve(size);
  text_ += "{\"kind\":\"" + std::string(resource_.list->name) + "\",\"apiVersion\":\"" +
           std::string(resource_.group_version()) + "\",\"metadata\":{\"resourceVersion\":\"" +
           std::to_string(listed_.revision.value) + "\"";
  if (!listed_.continue_token.empty()) {
    text_ += ",\"continue\":";
    json::print_string_to(text_, listed_.continue_token);
  }
  if (listed_.remaining) {
    text_ += ",\"remainingItemCount\":" + std::to_string(*listed_.remaining);
  }
  text_ += "},\"items\":[";
}

Result<void> ListMessage::add(const api::Object& item) {
  if (encoding_ == Encoding::kProtobuf) {
    messages_.push_back(TRY(item.protobuf(*resource_.type)));
    return {};
  }
  std::string_view json = item.json();
  if (text_.back() != '[') text_ += ',';
  if (json.starts_with(item_head_)) {
    text_ += '{';
    json.remove_prefix(item_head_.size());
  }
  text_.append(json);
  return {};
}

std::string ListMessage::finish_protobuf() {
  using namespace list_message;
  const std::string meta = list_meta(listed_);
  size_t size = field_size(meta.size());
  for (const Bytes& message : messages_) size += field_size(message.size());
  std::string out;
  put_envelope(out, resource_.group_version(), resource_.list->name, size);
  put_text(out, 1, meta);
  for (const Bytes& message : messages_) put_text(out, 2, message.view());
  end_envelope(out);
  return out;
}

std::string ListMessage::take() {
  if (encoding_ == Encoding::kProtobuf) return finish_protobuf();
  text_ += "]}\n";
  return std::move(text_);
}

}  // namespace proa::apiserver
