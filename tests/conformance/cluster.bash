# Shared by the scripts of this folder: a cluster for the suite, which ends with the script. Sets `kubeconfig`, and
# `inside`: the words before a program that is to run where it reaches the cluster.
# REQUIRES: `folder`, `root`, `build` and `report` are set, and programs are built.
lab=
children=()
data=$(mktemp -d)

stop_cluster() {
  local child machine
  if [[ -n $lab ]]; then
    for machine in "/var/lib/proa-lab/$lab"/machines/{server,node-*}; do
      cp "$machine/log/proa.log" "$report/${machine##*/}.log" || true
      cp "$machine/lib/proa/log/containerd.log" "$report/${machine##*/}-containerd.log" 2>/dev/null || true
    done
  fi
  for child in "${children[@]}"; do kill "$child" 2>/dev/null || true; done
  wait
  [[ -z $lab ]] || "$build/proa" lab down --name "$lab" || true
  rm -rf "$data"
}

# Without a node.
start_server() {
  # Pods reach the server by an address of this machine, so it listens on all of them.
  local port server
  port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("", 0)); print(s.getsockname()[1])')
  "$build/proa" server --data-dir "$data" --listen "0.0.0.0:$port" >"$report/server.log" 2>&1 &
  server=$!
  children+=("$server")
  for _ in $(seq 100); do
    grep -q '^Ready' "$report/server.log" && break
    kill -0 "$server" 2>/dev/null || { cat "$report/server.log" >&2; exit 1; }
    sleep 0.1
  done
  kubeconfig=$data/admin.kubeconfig
  inside=()
  "$folder/usage" "$report/usage.json" process "$server" &
  children+=($!)
}

in_lab() { # COMMAND ...: of `proa lab`
  local command=$1
  shift
  "$build/proa" lab "$command" --name "$lab" "$@" >>"$report/lab.log" 2>&1
}

# Machines of a lab have the programs of this host: in a mount namespace, those of another containerd are in the places of the
# installed ones.
with_containerd() { # FOLDER COMMAND ...; FOLDER: with containerd's programs; empty: the installed ones
  local programs=$1
  shift
  if [[ -z $programs ]]; then
    "$@"
    return
  fi
  # shellcheck disable=SC2016  # for the inner shell
  unshare --mount --propagation private bash -ec '
    for program in containerd containerd-shim-runc-v2 ctr; do
      mount --bind "$0/$program" "$(command -v "$program")"
    done
    exec "$@"' "$programs" "$@"
}

# Prints the folder of an image layout, and makes it if it is not there.
images_of_suite() { # FOLDER: of the suite's programs
  local program images
  for program in agnhost regression-issue-74839 nonewprivs sample-apiserver dns; do
    "$root/tests/clients/build-go" "$program" >/dev/null || exit
  done
  images=$1/images-$(cat "$folder/make-images" "$build/images/pause" | sha256sum | cut -c 1-12)
  if [[ ! -d $images ]]; then
    rm -rf "$1"/images-*
    "$folder/make-images" "$1" "$build/images/pause" "$images"
  fi
  printf '%s\n' "$images"
}

# The client is where the suite runs, and has the registry: outside of the cluster.
start_lab() { # NODES IMAGES CONTAINERD: the folder of its programs
  local count=$1 images=$2 containerd=$3 number node
  lab=conformance-$$
  # The role of a control plane would make a node another one than the rest.
  # shellcheck disable=SC2086  # words
  with_containerd "$containerd" "$build/proa" lab up --name "$lab" --nodes "$count" --server-apart ${LAB:---dual-stack} -- \
    --cluster-dns 10.96.0.10 --disable-admission-plugins DenyServiceExternalIPs \
    --load-balancer-pool "${POOL:-172.30.0.128/25,fd30:6c61:62:0:1::/80}" ${FLAGS:-} >"$report/lab.log" 2>&1 ||
    { lab=; cat "$report/lab.log" >&2; exit 1; }
  "$build/proa" lab exec --name "$lab" client -- "$folder/registry" "$images" 5000 >"$report/registry.log" 2>&1 &
  children+=($!)
  for number in $(seq "$count"); do
    node=/var/lib/proa-lab/$lab/machines/node-$number
    # Every registry is the one of the lab.
    mkdir "$node/lib/proa/registries/_default"
    printf '%s\n' 'server = "http://client:5000"' '[host."http://client:5000"]' 'capabilities = ["pull", "resolve"]' \
      >"$node/lib/proa/registries/_default/hosts.toml"
    # Some tests want nodes in three zones.
    in_lab kubectl label node "node-$number" "topology.kubernetes.io/zone=zone-$((number % 3))"
  done
  # FLAGS='--dns none': CoreDNS instead of our own DNS.
  if [[ ${FLAGS:-} == *--dns*none* ]]; then
    in_lab kubectl apply -f "$folder/dns/dns.yaml"
    in_lab kubectl -n kube-system rollout status deployment/dns --timeout 60s
  fi
  # The folder of labs is not the client's; neither is this machine's loopback interface.
  kubeconfig=$report/kubeconfig
  sed 's|server: .*|server: https://server:6443|' "/var/lib/proa-lab/$lab/kubeconfig" >"$kubeconfig"
  inside=("$build/proa" lab exec --name "$lab" client --)
  "$folder/usage" "$report/usage.json" cgroup "proa-lab-$lab" &
  children+=($!)
}
