#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/codec/protobuf/from_protobuf.h"

// Protobuf framing: the envelope that names an object's kind, and the frames of a watch.

namespace proa::api {

struct Envelope {
  TypeMeta meta;
  std::string_view raw;  // the message
  std::string_view content_encoding;
  std::string_view content_type;
};

// Whether it starts with the four bytes of an envelope.
bool is_enveloped(std::string_view bytes);
// Views into `bytes`. Failures are kBadRequest, with upstream's message.
Result<Envelope> open_envelope(std::string_view bytes);

// An enveloped object, whose kind must be in the schema.
Result<json::Document> from_enveloped(std::string_view bytes, const Schema& schema);
// The document's kind and apiVersion go into the envelope.
Result<std::string> to_enveloped(const json::Value& object, const Type& type);

// Upstream's message for an unknown kind.
std::string unknown_kind(const TypeMeta& meta);

struct WatchFrame {
  std::string_view type;    // ADDED, MODIFIED, DELETED, BOOKMARK, ERROR
  std::string_view object;  // enveloped
};

// A frame: four bytes of length, and a WatchEvent without an envelope.
std::string make_watch_frame(const WatchFrame& frame);
// Removes one frame from the front of a stream; nullopt if it is incomplete. Frames longer than
// `max_size` are rejected. Returns views into `stream`.
Result<std::optional<WatchFrame>> take_watch_frame(std::string_view& stream, size_t max_size);

}  // namespace proa::api
