"""The library as serving engines use it: threads, processes, speculation, long inputs."""
