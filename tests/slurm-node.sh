# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Sourced after test-lib.sh. slurm_start: a Slurm of this one machine with two processors, its daemons, keys and ports its own, without
# systemd and without touching /etc; SLURM_CONF is set. slurm_kill slurmd|slurmctld, slurmd_start; slurm_stop ends all of it.

slurm_here() { # why not, on stdout
  local p
  for p in munged slurmctld slurmd sbatch squeue; do
    command -v $p >/dev/null || { echo "$p is not installed (apt-get install slurm-wlm munge)"; return 1; }
  done
  [ "$(id -u)" = 0 ] || { echo "slurmd wants root"; return 1; }
}

slurm_ports() { python3 -c '
import socket
s = [socket.socket() for _ in range(2)]
for x in s: x.bind(("127.0.0.1", 0))
print(*[x.getsockname()[1] for x in s])'; }

slurm_start() {
  local ports
  SLURM_DIR=$(mktemp -d /tmp/kport-slurm-XXXXXX) && chmod 755 "$SLURM_DIR" && test_outside+=("$SLURM_DIR") &&
  export SLURM_CONF=$SLURM_DIR/slurm.conf && ports=$(slurm_ports) &&
  mkdir "$SLURM_DIR/state" "$SLURM_DIR/spool" &&
  cat >"$SLURM_CONF" <<EOT &&
ClusterName=kport
SlurmctldHost=$(hostname)(127.0.0.1)
SlurmctldPort=${ports% *}
SlurmdPort=${ports#* }
AuthType=auth/munge
AuthInfo=socket=$SLURM_DIR/munge.sock
CredType=cred/munge
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
StateSaveLocation=$SLURM_DIR/state
SlurmdSpoolDir=$SLURM_DIR/spool
SlurmctldPidFile=$SLURM_DIR/slurmctld.pid
SlurmdPidFile=$SLURM_DIR/slurmd.pid
SlurmctldLogFile=$SLURM_DIR/slurmctld.log
SlurmdLogFile=$SLURM_DIR/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0
ReturnToService=2
SlurmdTimeout=10
SlurmctldTimeout=10
MessageTimeout=10
NodeName=$(hostname) NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
EOT
  dd if=/dev/urandom of="$SLURM_DIR/munge.key" bs=128 count=1 2>/dev/null && chmod 400 "$SLURM_DIR/munge.key" &&
  munged --force --socket "$SLURM_DIR/munge.sock" --key-file "$SLURM_DIR/munge.key" --log-file "$SLURM_DIR/munged.log" \
    --pid-file "$SLURM_DIR/munged.pid" --seed-file "$SLURM_DIR/munged.seed" && slurmctld -c && slurmd_start
}

# Up to 60 s until the node takes work.
slurmd_start() {
  slurmd -c || return 1
  for _ in $(seq 600); do
    [ "$(sinfo -h -o %T 2>/dev/null | tr -d '*')" != idle ] || return 0
    sleep 0.1
  done
  sinfo; tail "$SLURM_DIR"/slurm*.log
  return 1
}

slurm_kill() {
  local pid
  pid=$(cat "$SLURM_DIR/$1.pid" 2>/dev/null) || return 0
  kill -9 "$pid"
  while kill -0 "$pid" 2>/dev/null; do sleep 0.05; done
}

slurm_stop() {
  local p
  [ -z "${SLURM_DIR:-}" ] || scancel -u "$(id -un)" 2>/dev/null
  for p in slurmd slurmctld munged; do slurm_kill $p; done 2>/dev/null
  return 0
}
