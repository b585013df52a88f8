#pragma once

#include <memory>

#include "apiserver/streaming/streams/translator.h"

namespace proa::apiserver {

// Which streams of a command the client wants.
struct CommandStreams {
  bool input = false;
  bool output = false;
  bool errors = false;
  bool tty = false;
};

// exec and attach: "v5.channel.k8s.io" for the client, where each message begins with the number of
// its channel and channels can be closed; "v4.channel.k8s.io" over SPDY for the kubelet, where each
// channel is a stream.
std::unique_ptr<StreamTranslator> translate_command(const CommandStreams& wanted);

// port-forward: the client speaks SPDY itself, inside of its messages.
std::unique_ptr<StreamTranslator> translate_tunnel();

}  // namespace proa::apiserver
